import { type BlockList, isIP } from 'node:net';
import { isIn, readNetworks } from '../access/networks.ts';

/** IPv4 networks that are not public: this network, private, shared, loopback, link-local, examples, multicast, reserved. */
const closed4 = readNetworks(
  `0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.0.0.0/24, 192.0.2.0/24,
   192.88.99.0/24, 192.168.0.0/16, 198.18.0.0/15, 198.51.100.0/24, 203.0.113.0/24, 224.0.0.0/4, 240.0.0.0/4`,
);
/**
 * One eighth of IPv6 is public, except for some parts: protocols and Teredo, examples, 6to4. Everything else is not: loopback,
 * private, link-local, and IPv4 behind NAT64 or otherwise embedded.
 */
const open6 = readNetworks('2000::/3');
const closed6 = readNetworks('2001::/23, 2001:db8::/32, 2002::/16, 3fff::/20');

/** Whether requests may be sent to an address: it must be public, or in `allowed`. */
export function isReachable(address: string, allowed: BlockList): boolean {
  const plain = withoutMapping(address);
  if (isIn(allowed, plain)) return true;
  switch (isIP(plain)) {
    case 4:
      return !isIn(closed4, plain);
    case 6:
      return isIn(open6, plain) && !isIn(closed6, plain);
    default:
      return false;
  }
}

/** Turns an IPv4-mapped address, `::ffff:10.0.0.1` or the same in hexadecimal, into the IPv4 address. */
function withoutMapping(address: string): string {
  if (isIP(address) !== 6 || address.includes('%')) return address.includes('%') ? '' : address;
  const mapped = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(new URL(`http://[${address}]`).hostname);
  if (!mapped) return address;
  const [high, low] = [Number.parseInt(mapped[1] ?? '', 16), Number.parseInt(mapped[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
