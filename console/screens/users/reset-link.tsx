import type { Account } from '../../../client/admin.ts';
import { admin } from '../../api.ts';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { serverBase } from '../../router.ts';
import { texts } from '../../texts.ts';

const { users: words } = texts.people;

/** With which somebody sets a new password. */
export interface ResetLink {
  readonly email: string;
  readonly link: string;
}

/** The server leaves out where it is reached if it does not know: as this page reached it. */
export async function makeResetLink(project: string, { _id, email }: Account): Promise<ResetLink> {
  const { link } = await admin.project(project).users.resetLink(_id);
  return { email, link: link.startsWith('/') ? serverBase + link : link };
}

export function ShownLink({ shown, onClose }: { shown: ResetLink; onClose: () => void }) {
  const { email, link } = shown;
  return <ShownOnce {...words.once} text={words.linkText(email)} secret={link} onClose={onClose} />;
}
