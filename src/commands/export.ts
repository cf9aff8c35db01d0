import { didYouMean } from '../model/nearest.ts';
import { bytesOf } from './api/download.ts';
import { apiFlags, withApi } from './api/open-api.ts';
import type { Command, CommandContext } from './command.ts';
import { type FlagValues, UsageError } from './flags.ts';
import { stopSignal } from './terminal/stop.ts';
import { writeWholeFile } from './terminal/whole-file.ts';

const names = ['project', 'collection'] as const;
/** Characters that must be encoded in the query: everything after a # would be dropped. */
const cutOff = /[#\s]/g;
const formats = ['csv', 'xlsx', 'json', 'ndjson'] as const;

export const exportRecords: Command = {
  summary: 'Writes the records of a collection to a file',
  usage: ' --project ID --collection ID [--out FILE] [flags]',
  flags: {
    project: { kind: 'text', summary: 'The project' },
    collection: { kind: 'text', summary: 'The collection' },
    out: { kind: 'text', summary: 'The file; without it, the records are printed' },
    format: { kind: 'text', summary: `${formats.join(', ')}; without it, by the ending of --out, or ndjson` },
    query: {
      kind: 'text',
      summary: "Which records, as the API has it: 'price>=10&sort=-price&fields=title'",
    },
    ...apiFlags,
  },
  run,
};

async function run(context: CommandContext): Promise<number> {
  const { flags, write, onStop } = context;
  for (const name of names) {
    if (flags.text(name) === '') throw new UsageError(`--${name} is missing`);
  }
  const [file, format] = [flags.text('out'), readFormat(flags)];
  const query = flags.text('query').replace(/^\?/, '').replace(cutOff, encodeURIComponent);
  const [project = '', collection = ''] = names.map((name) => encodeURIComponent(flags.text(name)));
  const signal = file === '' ? undefined : stopSignal(onStop); // so that the draft is removed
  await withApi(context, 'refuse', async ({ download }) => {
    const path = `/v1/${project}/${collection}/export?format=${format}&${query}`;
    const bytes = bytesOf(await download(path, signal), signal);
    if (file !== '') await writeWholeFile(file, bytes);
    else for await (const part of bytes) await write(part);
  });
  return 0;
}

function readFormat(flags: FlagValues): (typeof formats)[number] {
  const asked = flags.text('format') || (/\.(\w+)$/.exec(flags.text('out'))?.[1] ?? 'ndjson');
  const format = formats.find((one) => one === asked);
  if (format) return format;
  throw new UsageError(`--format must be one of ${formats.join(', ')}${didYouMean(asked, formats)}`);
}
