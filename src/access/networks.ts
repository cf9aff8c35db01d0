import { BlockList, isIP } from 'node:net';

/** Addresses and networks: `10.0.0.1`, `10.0.0.0/8`, several with commas. */
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
