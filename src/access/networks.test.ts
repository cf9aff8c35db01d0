import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countedAddress } from './networks.ts';
import { RateLimit } from './rate-limit.ts';
import { SignInLimit } from './sign-in-limit.ts';

describe('callers without a name', () => {
  it('are counted by their address, or by the network of it where each has one', () => {
    for (const [address, counted] of [
      ['192.0.2.7', '192.0.2.7'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
      ['2001:db8:1:2::ffff', '2001:db8:1:2::/64'],
      ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
      ['2001:db8::1', '2001:db8:0:0::/64'],
      ['fe80::1%eth0', 'fe80:0:0:0::/64'],
      ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
      ['1:2:3:4:5:6:192.0.2.33', '1:2:3:4::/64'],
      ['::1', '0:0:0:0::/64'],
      ['not an address', 'not an address'],
    ] as const)
      assert.equal(countedAddress(address), counted);
  });

  it('have ten failures to sign in, from wherever in their network they come', async () => {
    const limit = new SignInLimit();
    const attempt = (at: number) =>
      limit.attempt(`2001:db8::${at.toString(16)}`, 'p a@b.c', 0, async () => false);
    for (let at = 1; at <= 10; at++) assert.equal(await attempt(at), false);
    await assert.rejects(attempt(11), /again/);
  });

  it('are known by credentials of ordinary length alone', () => {
    const caller = { kind: 'key', key: 'k', access: 'read' } as never;
    const rest = { address: () => '192.0.2.7', now: 1_000 };
    for (const [length, isKnown] of [
      [2_000, true],
      [2_001, false],
    ] as const) {
      const limit = new RateLimit(1, 2);
      const visit = { ...rest, token: 'x'.repeat(length) };
      limit.accepted(visit, caller);
      limit.enter(visit);
      limit.enter(visit);
      const stranger = () => limit.enter({ ...rest, token: undefined });
      if (isKnown) stranger();
      else assert.throws(stranger, /Too many requests/);
    }
  });
});
