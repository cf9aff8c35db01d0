import type { Table } from '../reference/model.ts';
import { type Desk, pickToken, projectPath, type Request } from './desk.ts';
import { bodyText } from './payloads.ts';

/** A record, by somebody who may. */
export function fillingStep(desk: Desk, collection: string, table: Table): Request {
  const { dice, known } = desk;
  return creation(desk, collection, table, dice.pick(['admin', ...known.tokens.slice(-2)]));
}

function creation(desk: Desk, collection: string, table: Table, token: string | undefined): Request {
  const body = bodyText({ ...desk.payloads.whole(table), ...handed(desk, token) });
  const path = `${projectPath}/${collection}`;
  return { verb: 'POST', path, token, body, ...(desk.dice.chance(12) && { headers: keyed(desk) }) };
}

/** One record made, changed or deleted. */
export function recordStep(desk: Desk, collection: string, table: Table): Request {
  const { dice, payloads } = desk;
  const path = `${projectPath}/${collection}`;
  const token = pickToken(desk);
  const way = dice.below(10);
  if (way < 4 || table.rows.length === 0) return creation(desk, collection, table, token);
  if (dice.chance(25)) return conditional(desk, table) ?? { verb: 'GET', path, token };
  const target = `${path}/${dice.pick(table.rows)._id}`;
  if (way < 8) {
    return {
      verb: 'PATCH',
      path: target,
      token,
      body: bodyText({ ...payloads.part(table), ...handed(desk, token) }),
      ...(dice.chance(12) && { headers: keyed(desk) }),
    };
  }
  if (dice.chance(30))
    return { verb: 'DELETE', path: `${target}?dryRun=true`, token: dice.pick(['admin', token]) };
  return { verb: 'DELETE', path: target, token, ...(dice.chance(15) && { headers: keyed(desk) }) };
}

/** On behalf of somebody. */
function handed({ dice, known, peopled }: Desk, token: string | undefined): Record<string, string | null> {
  const may = token === 'admin' || token?.startsWith('@key');
  if (!peopled || !dice.chance(may ? 60 : 4)) return {};
  const [owner, workspace] = [dice.pick([null, ...known.users]), dice.pick([null, ...known.workspaces])];
  return dice.pick<Record<string, string | null>>([
    { _owner: owner },
    { _workspace: workspace },
    { _owner: owner, _workspace: workspace },
  ]);
}

export function keyed({ dice }: Desk): Record<string, string> {
  return { 'idempotency-key': dice.pick(['one', 'two', 'three', 'f%o_u\\r', '"5"']) };
}

/** With the tag of some version of a record, old or new. */
function conditional({ dice, known, payloads }: Desk, table: Table): Request | undefined {
  if (known.tags.length === 0) return undefined;
  const { path, tag, token } = dice.pick(known.tags.slice(-12));
  const verb = dice.pick(['GET', 'GET', 'PATCH', 'PATCH', 'DELETE']);
  const sent = dice.pick([tag, tag, `W/${tag}`, `"x", ${tag}`, '*', '"x"', 'x']);
  return {
    verb,
    path,
    token,
    headers: { [verb === 'GET' ? 'if-none-match' : 'if-match']: sent },
    ...(verb === 'PATCH' && { body: bodyText(payloads.part(table)) }),
  };
}
