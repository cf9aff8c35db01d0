import { type BlockList, isIP } from 'node:net';
import { isIn } from '../access/networks.ts';
import type { Incoming } from './route.ts';
import type { Services } from './services.ts';

export function addressOf({ proxies }: Services, { request, peer }: Incoming): string {
  return clientAddress(peer(), request.headers.get('x-forwarded-for'), proxies);
}

/** The client's address: behind trusted proxies, the last address that is not one of theirs. */
function clientAddress(peer: string, forwardedFor: string | null, proxies: BlockList): string {
  let address = plain(peer);
  const hops = (forwardedFor ?? '').split(',').map((hop) => plain(withoutPort(hop.trim())));
  while (isIn(proxies, address)) {
    const hop = hops.pop();
    if (hop === undefined || isIP(hop) === 0) break;
    address = hop;
  }
  return address;
}

/** Unwraps an IPv4-mapped IPv6 address. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** Some proxies add the client's port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (hop: string) => hop.replace(/^(?:\[(.*)\]|([\d.]+))(?::\d+)?$/, '$1$2');
