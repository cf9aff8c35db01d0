import type { Definition } from '../../../client/admin.ts';
import type { ExportFormat } from '../../../client/client.ts';
import { downloadPath, messageOf, recordsOf } from '../../api.ts';
import { listOptions, literal } from '../../model/client-code.ts';
import { encodeQuery, type ListQuery, whereOf, writeApiQuery } from '../../model/list-query.ts';
import { toast } from '../../parts/toasts.tsx';
import { serverBase } from '../../router.ts';
import { viewerOf } from '../../viewer.ts';
import type { Column } from './columns.ts';

interface What {
  readonly project: string;
  readonly definition: Definition;
  readonly query: ListQuery;
  readonly columns: readonly Column[];
}

/** Encoded as the browser will send it, because a ticket is valid for exactly one path. */
const queryOf = (what: What, more: readonly string[]) =>
  encodeQuery([writeApiQuery(what.query), ...more].filter((part) => part !== '').join('&'));

const fieldsPart = ({ columns }: What) => `fields=${columns.map(({ field }) => field.name).join(',')}`;

export function urlOf(what: What): string {
  const query = queryOf(what, [fieldsPart(what)]);
  return `${serverBase}/v1/${what.project}/${what.definition.id}${query === '' ? '' : `?${query}`}`;
}

export const curlOf = (what: What) =>
  `curl '${urlOf(what).replaceAll("'", '%27')}' -H "Authorization: Bearer $TOKEN"`;

/** The list as a line of code for the client library. */
export function sdkOf({ definition, query, columns }: What): string {
  const fields = columns.map(({ field }) => field.name);
  const options = listOptions(definition, query, { fields });
  return `const { found } = await vitrine.collection(${literal(definition.id)}).list(${options});`;
}

/** The export as the current viewer gets it. */
async function readList({ project, definition, query, columns }: What, format: ExportFormat): Promise<Blob> {
  const response = await recordsOf(project, definition.id).export(format, {
    where: whereOf(query.conditions),
    ...(query.search !== '' && { search: query.search }),
    ...(query.sort.length > 0 && { sort: [...query.sort] }),
    fields: columns.map(({ field }) => field.name),
  });
  return response.blob();
}

/** Downloads the current list, with its filters and columns, as a file. */
export async function downloadList(what: What, format: ExportFormat): Promise<void> {
  const path = `/v1/${what.project}/${what.definition.id}/export?${queryOf(what, [fieldsPart(what), `format=${format}`])}`;
  try {
    if (viewerOf(what.project).kind === 'administrator') return await downloadPath(path);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(await readList(what, format));
    link.download = `${what.definition.id}.${format}`;
    link.click();
  } catch (error) {
    toast({ kind: 'bad', text: messageOf(error) });
  }
}
