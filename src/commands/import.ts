import { Failure } from '../failure.ts';
import type { CsvRules } from '../import/csv-header.ts';
import { formats, type Reading, readRows } from '../import/read-rows.ts';
import { didYouMean } from '../model/nearest.ts';
import { checkedRows } from '../runtime/checked-rows.ts';
import { type Api, apiFlags, withApi } from './api/open-api.ts';
import { type Command, type CommandContext, CommandFailure } from './command.ts';
import { type FlagValues, UsageError } from './flags.ts';
import { directorySink } from './import/directory-sink.ts';
import { serverSink } from './import/server-sink.ts';
import type { ImportRules, Input, Sink } from './import/sink.ts';
import { openSource, type Source } from './import/source.ts';
import { Tally } from './import/tally.ts';
import { counted } from './terminal/colours.ts';
import { Progress } from './terminal/progress.ts';
import { requireGoingOn, Stopped, stopSignal } from './terminal/stop.ts';

const endings: Readonly<Record<string, Reading['format']>> = {
  csv: 'csv',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
};

export const importRecords: Command = {
  summary: 'Creates records from a file, under the same rules as the API',
  usage:
    ' --project ID --collection ID FILE [flags]\n\nFILE is CSV, a JSON array or NDJSON; - is standard input',
  args: ['FILE'],
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
    separator: { kind: 'text', summary: "CSV: what stands between cells; 'tab' for tabs", fallback: ',' },
    'restore-formulas': {
      kind: 'switch',
      summary: "CSV: takes off the ' that an export puts before what looks like a formula",
    },
    ...apiFlags,
  },
  notes: `CSV has the names of fields in its first line, and UTF-8. An empty cell is an unset value; lists and
multiple relations have ', ' between their values or are a JSON array. Bad rows are reported, up to 1,000 of them.

An import is all or nothing unless --keep-good is given. Into a data directory it is one transaction. Over HTTP every row
is checked before the first is sent, in batches of 1,000; should one be refused, those before it are deleted again, and
so too after Ctrl-C. Where the server stays away meanwhile, it is said how many are left.
There --dry-run can't find values that other records have taken, nor relations to records that are not there.

Exit codes:
  0  done; with --dry-run, --keep-good or not: every row is good
  1  there are bad rows and nothing was imported, or it failed
  2  the command line can't be understood`,
  run,
};

async function run(context: CommandContext): Promise<number> {
  const { flags, err, screen } = context;
  const signal = stopSignal(context.onStop);
  const rules = { dryRun: flags.on('dry-run'), keepGood: flags.on('keep-good'), signal };
  const reading = { format: readFormat(flags), csv: readCsvRules(flags) };
  for (const name of ['project', 'collection']) {
    if (flags.text(name) === '') throw new UsageError(`--${name} is missing`);
  }
  const progress = new Progress({ live: screen.live, write: err }, Date.now);
  const tally = new Tally();
  await withApi(context, 'refuse', async (api) => {
    const sink = await openSink(api, flags, rules);
    const source = await openSource(flags.text('FILE'), {
      ...{ stdin: () => context.stdin, again: sink.again, signal },
    });
    try {
      const { collection } = sink;
      const input: Input = {
        rows: () => watched(source, readRows(source.texts(), collection, reading)),
        checkedRows: (checked) =>
          watched(source, checkedRows(source.texts(), { collection: checked, reading })),
      };
      await namingFile(source, () => sink.take(input, rules, tally));
    } catch (error) {
      if (rules.keepGood) err(tally.report()); // imported rows stay, so the rejected ones are reported
      throw error;
    } finally {
      progress.end();
      await source.close();
    }
  });
  return conclude(context, tally, progress.seconds);

  async function* watched<T extends { readonly length: number }>(
    source: Source,
    rows: AsyncIterable<T>,
  ): AsyncGenerator<T, void> {
    for await (const part of rows) {
      requireGoingOn(signal);
      yield part;
      progress.report(tally.rows, source.size && source.read() / source.size);
    }
  }
}

function readFormat(flags: FlagValues): Reading['format'] {
  const asked = flags.text('format');
  const found = asked === '' ? endings[/\.(\w+)$/.exec(flags.text('FILE'))?.[1] ?? ''] : asked;
  const format = formats.find((one) => one === found);
  if (format) return format;
  if (asked !== '') {
    throw new UsageError(`--format must be one of ${formats.join(', ')}${didYouMean(asked, formats)}`);
  }
  if (/\.(xlsx?|ods|numbers)$/i.test(flags.text('FILE')))
    throw new UsageError(`'${flags.text('FILE')}' is a workbook: save its sheet as CSV, and import that`);
  throw new UsageError(
    `the format of '${flags.text('FILE')}' is unclear: give --format ${formats.join(', ')}`,
  );
}

function openSink(api: Api, flags: FlagValues, rules: ImportRules): Promise<Sink> {
  const [project, collection] = [flags.text('project'), flags.text('collection')];
  return api.catalog
    ? directorySink(api.catalog, project, collection)
    : serverSink(api.admin, project, collection, rules);
}

function readCsvRules(flags: FlagValues): CsvRules {
  const separator = flags.text('separator') === 'tab' ? '\t' : flags.text('separator');
  if ([...separator].length !== 1 || /["\r\n]/.test(separator))
    throw new UsageError("--separator must be one character, or 'tab'");
  return {
    separator,
    ignoreService: flags.on('ignore-service-fields'),
    restoreFormulas: flags.on('restore-formulas'),
  };
}

/** Adds the name of the file to errors about the file as a whole. */
async function namingFile(source: Source, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const ours = error instanceof CommandFailure || (error instanceof Failure && error.kind === 'invalid');
    if (!ours) throw error;
    if (error instanceof Stopped) throw new CommandFailure('nothing was imported: it was stopped');
    throw new CommandFailure(`${source.name}: ${error.message}`);
  }
}

function conclude({ flags, out, err }: CommandContext, tally: Tally, seconds: number): number {
  const { rows, good, bad } = tally;
  const place = `${flags.text('project')}.${flags.text('collection')}`;
  err(tally.report());
  if (flags.on('dry-run')) {
    out(`${good.toLocaleString('en-US')} of ${counted(rows, 'row')} are good; nothing was imported\n`);
    return bad === 0 ? 0 : 1;
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
