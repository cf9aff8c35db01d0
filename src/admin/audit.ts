import { Failure } from '../failure.ts';
import { formatInstant } from '../model/instant.ts';
import { pageJson, readPageWith } from '../query/page.ts';
import type { AuditEntry, AuditLog } from '../store/audit.ts';

/** GET /v1/_admin/audit: newest first, by page or, with `after`, by cursor. */
export async function listAudit(audit: AuditLog, query: string): Promise<string> {
  const page = readPageWith(query, ['project', 'actor', 'action', 'after']);
  const { after, ...which } = page.given;
  if (after === undefined) {
    const { total, found } = await audit.list(which, page);
    return pageJson(page, total, found.map(entryResult));
  }
  if (new URLSearchParams(query).has('page'))
    throw new Failure('invalid', [{ at: 'after', message: "takes the place of 'page': leave that out" }]);
  if (after !== '' && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(after))
    throw new Failure('invalid', [
      { at: 'after', message: "must be empty, or the 'next' of the page before" },
    ]);
  const found = await audit.newest({ ...which, ...(after !== '' && { before: after }) }, page.perPage + 1);
  const shown = found.slice(0, page.perPage);
  const next = found.length > shown.length ? (shown.at(-1)?.id ?? null) : null;
  return JSON.stringify({ perPage: page.perPage, next, found: shown.map(entryResult) });
}

function entryResult({ id, at, outcome, ...entry }: AuditEntry): object {
  const { actor, action, project, target, address, requestId } = entry;
  return {
    _id: id,
    at: formatInstant(at),
    ...{ actor, action, project, target },
    address: address === '' ? null : address,
    outcome: outcome ?? 'unknown',
    requestId,
  };
}
