import type { ExportFormat } from '../../../client/client.ts';
import { downloadPath, messageOf, recordsOf } from '../../api.ts';
import { type ListQuery, whereOf, writeApiQuery } from '../../model/list-query.ts';
import { toast } from '../../parts/toasts.tsx';
import { serverBase } from '../../router.ts';
import { viewerOf } from '../../viewer.ts';
import type { Column } from './columns.ts';

interface What {
  readonly project: string;
  readonly collection: string;
  readonly query: ListQuery;
  readonly columns: readonly Column[];
}

/** `%` and letters beyond ASCII as a browser would send them: a ticket is good for this very path. */
const encoded = (query: string) =>
  query.replace(/[^\x21-\x7e]|["<>\\^`{|}]/gu, (one) => encodeURIComponent(one));

const queryOf = (what: What, more: readonly string[]) =>
  encoded([writeApiQuery(what.query), ...more].filter((part) => part !== '').join('&'));

const fieldsPart = ({ columns }: What) => `fields=${columns.map(({ field }) => field.name).join(',')}`;

export function urlOf(what: What): string {
  const query = queryOf(what, [fieldsPart(what)]);
  return `${serverBase}/v1/${what.project}/${what.collection}${query === '' ? '' : `?${query}`}`;
}

export const curlOf = (what: What) =>
  `curl '${urlOf(what).replaceAll("'", '%27')}' -H "Authorization: Bearer $TOKEN"`;

/** A line for the client library. */
export function sdkOf({ collection, query, columns }: What): string {
  const options = {
    ...(query.conditions.length > 0 && { where: whereOf(query.conditions) }),
    ...(query.search !== '' && { search: query.search }),
    ...(query.sort.length > 0 && { sort: query.sort }),
    fields: columns.map(({ field }) => field.name),
  };
  return `const { found } = await vitrine.collection(${JSON.stringify(collection)}).list(${JSON.stringify(options)});`;
}

/** As whoever it is seen as would get it, and nothing more. */
async function readList({ project, collection, query, columns }: What, format: ExportFormat): Promise<Blob> {
  const response = await recordsOf(project, collection).export(format, {
    where: whereOf(query.conditions),
    ...(query.search !== '' && { search: query.search }),
    ...(query.sort.length > 0 && { sort: [...query.sort] }),
    fields: columns.map(({ field }) => field.name),
  });
  return response.blob();
}

/** What is on the screen, filter and columns, as a file that the server streams. */
export async function downloadList(what: What, format: ExportFormat): Promise<void> {
  const path = `/v1/${what.project}/${what.collection}/export?${queryOf(what, [fieldsPart(what), `format=${format}`])}`;
  try {
    if (viewerOf(what.project).kind === 'administrator') return await downloadPath(path);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(await readList(what, format));
    link.download = `${what.collection}.${format}`;
    link.click();
  } catch (error) {
    toast({ kind: 'bad', text: messageOf(error) });
  }
}
