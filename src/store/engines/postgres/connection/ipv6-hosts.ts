const hostsOf = /^[a-z]+:\/\/(?:[^/?#]*@)?([^/?#]*)/;
const form = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/;
const usualPort = 5432;

/** The hosts of an address where one is of IPv6, for the driver, which would take it apart at its colons. Nothing where none is. Its types know of one host alone. */
export function ipv6Hosts(address: string): object {
  const [, hosts = ''] = hostsOf.exec(address) ?? [];
  if (!hosts.includes('[')) return {};
  const found = hosts.split(',').map((one) => form.exec(one) ?? []);
  return {
    host: found.map(([, six, name = '']) => six ?? name),
    port: found.map(([, , , port]) => Number(port ?? usualPort)),
  };
}
