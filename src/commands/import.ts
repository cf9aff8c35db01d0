import { Failure } from '../failure.ts';
import { didYouMean } from '../model/nearest.ts';
import { counted } from './apply/paint.ts';
import { type Command, type CommandContext, CommandFailure } from './command.ts';
import { type FlagValues, UsageError } from './flags.ts';
import { csvRows } from './import/csv-rows.ts';
import { directorySink } from './import/directory-sink.ts';
import { jsonRows, ndjsonRows } from './import/json-rows.ts';
import { Progress } from './import/progress.ts';
import type { Rows } from './import/row.ts';
import { serverSink } from './import/server-sink.ts';
import type { Sink } from './import/sink.ts';
import { openSource, type Source } from './import/source.ts';
import { Tally } from './import/tally.ts';
import { findServer, openCatalog, targetFlags } from './target/open-target.ts';

const formats = ['csv', 'json', 'ndjson'] as const;
type Format = (typeof formats)[number];
const endings: Readonly<Record<string, Format>> = {
  csv: 'csv',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
};

export const importRecords: Command = {
  summary: 'Creates records from a file, under the same rules as the API',
  usage:
    ' --project ID --collection ID FILE [flags]\n\nFILE is CSV, a JSON array or NDJSON; - is standard input',
  words: ['FILE'],
  flags: {
    project: { kind: 'text', summary: 'The project' },
    collection: { kind: 'text', summary: 'The collection' },
    format: { kind: 'text', summary: `${formats.join(', ')}; without it, by the ending of FILE` },
    'dry-run': { kind: 'switch', summary: 'Finds all that is wrong and imports nothing' },
    'keep-good': { kind: 'switch', summary: 'Imports the good rows also where others are bad' },
    'ignore-service-fields': {
      kind: 'switch',
      summary: 'Passes over _id, _createdAt and _updatedAt, which an export has',
    },
    'restore-formulas': {
      kind: 'switch',
      summary: "CSV: takes off the ' that an export puts before what looks like a formula",
    },
    ...targetFlags,
  },
  notes: `CSV has the names of fields in its first line, and UTF-8. An empty cell is an unset value; lists and
multiple relations have ', ' between their values or are a JSON array. Of bad rows the first 1,000 are told.

Into a data directory the import is all or nothing in one transaction. Over HTTP that holds for 1,000 rows;
more need --keep-good, and --dry-run then finds only what the definition forbids, not taken unique values or
relations to records that are not there.

Exit codes:
  0  done; with --dry-run: every row is good
  1  there are bad rows and nothing was imported, or it failed
  2  the command line can not be understood`,
  run,
};

async function run(context: CommandContext): Promise<number> {
  const { flags, err, screen } = context;
  const rules = { dryRun: flags.on('dry-run'), keepGood: flags.on('keep-good') };
  const format = findFormat(flags);
  const { sink, close } = await openSink(context);
  const progress = new Progress({ live: screen.live, write: err }, Date.now);
  const tally = new Tally();
  try {
    const source = await openSource(flags.text('FILE'), () => context.stdin);
    await spoken(source, () => sink.take(told(rowsOf(source, format, sink, flags)), rules, tally));
    progress.end();

    async function* told(rows: Rows): Rows {
      for await (const part of rows) {
        yield part;
        progress.tell(tally.rows, source.size && source.read() / source.size);
      }
    }
  } finally {
    progress.end();
    await close();
  }
  return conclude(context, tally, progress.seconds);
}

function findFormat(flags: FlagValues): Format {
  const asked = flags.text('format');
  const found = asked === '' ? endings[/\.(\w+)$/.exec(flags.text('FILE'))?.[1] ?? ''] : asked;
  const format = formats.find((one) => one === found);
  if (format) return format;
  if (asked !== '') {
    throw new UsageError(`--format must be one of ${formats.join(', ')}${didYouMean(asked, formats)}`);
  }
  throw new UsageError(
    `the format of '${flags.text('FILE')}' is unclear: give --format ${formats.join(', ')}`,
  );
}

async function openSink(context: CommandContext): Promise<{ sink: Sink; close(): Promise<void> }> {
  const { flags } = context;
  const [project, collection] = [flags.text('project'), flags.text('collection')];
  if (project === '') throw new UsageError('--project is missing');
  if (collection === '') throw new UsageError('--collection is missing');
  const server = findServer(context);
  if (server) return { sink: await serverSink(server, project, collection), close: async () => {} };
  const { catalog, release } = await openCatalog(context, false);
  const close = () => catalog.close().finally(release);
  try {
    return { sink: await directorySink(catalog, project, collection), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function rowsOf({ texts }: Source, format: Format, { collection }: Sink, flags: FlagValues): Rows {
  const ignoreService = flags.on('ignore-service-fields');
  switch (format) {
    case 'csv':
      return csvRows(texts, collection, { ignoreService, restoreFormulas: flags.on('restore-formulas') });
    case 'json':
      return jsonRows(texts, ignoreService);
    case 'ndjson':
      return ndjsonRows(texts, ignoreService);
  }
}

/** What is wrong with the file as a whole names the file. */
async function spoken(source: Source, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const ours = error instanceof CommandFailure || (error instanceof Failure && error.kind === 'invalid');
    if (!ours) throw error;
    throw new CommandFailure(`${source.name}: ${error.message}`);
  }
}

function conclude({ flags, out, err }: CommandContext, tally: Tally, seconds: number): number {
  const { rows, good, bad } = tally;
  const place = `${flags.text('project')}.${flags.text('collection')}`;
  err(tally.report());
  if (flags.on('dry-run')) {
    out(`${good.toLocaleString('en-US')} of ${counted(rows, 'row')} are good; nothing was imported\n`);
    return bad === 0 || flags.on('keep-good') ? 0 : 1;
  }
  if (bad > 0 && !flags.on('keep-good')) {
    throw new CommandFailure(
      `nothing was imported: ${bad.toLocaleString('en-US')} of ${counted(rows, 'row')} are bad; give --keep-good to import the others`,
    );
  }
  const speed = Math.round(good / Math.max(seconds, 0.001)).toLocaleString('en-US');
  const left = bad === 0 ? '' : `; ${counted(bad, 'bad row')} left out`;
  out(`Imported ${counted(good, 'record')} into ${place} in ${seconds.toFixed(1)} s (${speed}/s)${left}\n`);
  return 0;
}
