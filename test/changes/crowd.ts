import { v7 as uuidv7 } from 'uuid';
import type { TestApp } from '../harness.ts';

export interface Someone {
  readonly id: string;
  readonly token: string;
}

/** So many users of a project, signed in: not by their passwords, of which each takes as long as it should. */
export function makeCrowd(app: TestApp, project: string, count: number): Promise<Someone[]> {
  return app.catalog().use(project, async ({ store: { accounts }, tokens }) => {
    const now = Date.now();
    const crowd: Someone[] = [];
    for (let index = 0; index < count; index++) {
      const id = uuidv7();
      const session = uuidv7();
      const expires = now + 3_600_000;
      const user = {
        ...{ id, email: `user-${index}@example.com`, name: '', disabled: false, verified: true },
        ...{ profile: {}, created: now, updated: now },
      };
      await accounts.createUser(user, 'none', {
        ...{ id: session, user: id, workspace: null, tokenDigest: session, expires },
        ...{ seen: { used: now, address: '', agent: '' }, proof: { passwordHash: 'none' } },
      });
      const claims = { user: id, workspace: null, session, expires: Math.floor(expires / 1000) };
      crowd.push({ id, token: await tokens.issue(claims, now) });
    }
    return crowd;
  });
}
