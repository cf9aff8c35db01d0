import { BlockList, isIP } from 'node:net';
import type { Incoming } from './route.ts';
import type { Services } from './services.ts';

/** The addresses of proxies whose X-Forwarded-For is believed: `10.0.0.1`, `10.0.0.0/8`, several with commas. */
export function readProxies(text: string): BlockList {
  const proxies = new BlockList();
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
    if (bits === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(bits), family);
  }
  return proxies;
}

export function addressOf({ proxies }: Services, { request, peer }: Incoming): string {
  return clientAddress(peer(), request.headers.get('x-forwarded-for'), proxies);
}

/** Where a request really comes from: behind trusted proxies, the last address that is none of theirs. */
export function clientAddress(peer: string, forwardedFor: string | null, proxies: BlockList): string {
  let address = plain(peer);
  const hops = (forwardedFor ?? '').split(',').map((hop) => plain(hop.trim()));
  while (trusted(address, proxies)) {
    const hop = hops.pop();
    if (hop === undefined || isIP(hop) === 0) break;
    address = hop;
  }
  return address;
}

function trusted(address: string, proxies: BlockList): boolean {
  const version = isIP(address);
  return version !== 0 && proxies.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/** IPv4 in IPv6 clothes. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '');
