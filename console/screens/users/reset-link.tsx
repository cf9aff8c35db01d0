import type { Account } from '../../../client/admin.ts';
import { admin } from '../../api.ts';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { serverBase } from '../../router.ts';
import { texts } from '../../texts.ts';

const { users: words } = texts.people;

/** A link with which the user sets a new password. */
export interface ResetLink {
  readonly email: string;
  readonly link: string;
}

/** A server that does not know its public URL answers with a path, which is then relative to the URL of this page's server. */
export async function makeResetLink(project: string, { _id, email }: Account): Promise<ResetLink> {
  const { link } = await admin.project(project).users.resetLink(_id);
  return { email, link: link.startsWith('/') ? serverBase + link : link };
}

export function ShownLink({ shown, onClose }: { shown: ResetLink; onClose: () => void }) {
  const { email, link } = shown;
  return <ShownOnce {...words.once} text={words.linkText(email)} secret={link} onClose={onClose} />;
}
