import { BlockList, isIP } from 'node:net';

/** Reads addresses and networks, separated by commas: `10.0.0.1, 10.0.0.0/8`. */
export function readNetworks(text: string): BlockList {
  const networks = new BlockList();
  for (const part of text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')) {
    const [address = '', bits] = part.split('/');
    const version = isIP(address);
    const most = version === 6 ? 128 : 32;
    if (version === 0 || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most))) {
      throw new Error(`'${part}' is not an address, such as 10.0.0.1 or 10.0.0.0/8`);
    }
    const family = version === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) networks.addAddress(address, family);
    else networks.addSubnet(address, Number(bits), family);
  }
  return networks;
}

export function isIn(networks: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && networks.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/**
 * The key by which callers without a token are counted. For IPv6 it is the /64 network, as whoever has one address of it usually
 * has all 2^64.
 */
export function countedAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  const [before = '', after] = (address.split('%')[0] ?? '').split('::');
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const [first, last] = [groups(before), groups(after)];
  // An IPv4 address at the end stands for two groups.
  const written = first.length + last.length + (address.includes('.') ? 1 : 0);
  const all = [...first, ...Array<string>(8 - written).fill('0'), ...last];
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}
