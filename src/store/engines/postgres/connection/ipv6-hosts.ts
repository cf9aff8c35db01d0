const hostsOf = /^[a-z]+:\/\/(?:[^/?#]*@)?([^/?#]*)/;
const form = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/;
const usualPort = 5432;

/**
 * Hosts and ports of a URL with IPv6 addresses, as options for the driver, which would split the addresses at their colons;
 * empty without IPv6. An `object`, as the driver's types only allow for a single host.
 */
export function ipv6Hosts(address: string): object {
  const [, hosts = ''] = hostsOf.exec(address) ?? [];
  if (!hosts.includes('[')) return {};
  const found = hosts.split(',').map((one) => form.exec(one) ?? []);
  return {
    host: found.map(([, six, name = '']) => six ?? name),
    port: found.map(([, , , port]) => Number(port ?? usualPort)),
  };
}
