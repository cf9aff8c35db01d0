/** A test that failed, or what kept tests from running, as the output of a runner tells it. */
export interface FailedTest {
  /** The file, the suites and the test. */
  readonly name: string;
  /** The first lines of what was wrong. */
  readonly message: readonly string[];
}

const longestMessage = 8;
const longestLine = 300;

/**
 * All that failed, by what `bun test` or the spec reporter of `node --test` printed. Of a command that is neither, or that ended
 * before it told anything, the last lines.
 */
export function readFailures(output: string): FailedTest[] {
  const lines = output.split('\n').map((line) => line.trimEnd());
  const failed = lines.some((line) => line.startsWith('bun test v')) ? ofBun(lines) : ofNode(lines);
  const cut = lines.findLastIndex((line) => line.startsWith('not done within'));
  if (cut !== -1) failed.push({ name: lines[cut] ?? '', message: lastOf(lines.slice(0, cut)) });
  return failed.length > 0 ? failed : [{ name: 'the last lines are', message: lastOf(lines) }];
}

/** Bun prints what a test threw before the line with its name, and repeats the names at the end. */
function ofBun(lines: readonly string[]): FailedTest[] {
  const failed: FailedTest[] = [];
  let file = '';
  let since = 0;
  for (const [index, line] of lines.entries()) {
    const [, heading] = /^(\S+\.test\.ts):$/.exec(line) ?? [];
    const [, name] = /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/.exec(line) ?? [];
    if (/^\d+ tests? failed:$/.test(line)) break;
    if (heading !== undefined) file = heading;
    if (name !== undefined) {
      const timedOut = lines.slice(index + 1, index + 2).filter((next) => next.startsWith('  ^ '));
      failed.push({
        name: `${file} > ${name}`,
        message: [...thrownIn(lines.slice(since, index)), ...timedOut.map(cutLine)],
      });
    }
    if (line === '# Unhandled error between tests') {
      failed.push({
        name: `${file} > outside of a test`,
        message: thrownIn(lines.slice(index + 2, index + 60)),
      });
    }
    if (heading !== undefined || /^\((pass|fail|skip|todo)\) /.test(line)) since = index + 1;
  }
  return failed;
}

/** From behind the source that Bun shows, with a caret below it. */
function thrownIn(lines: readonly string[]): string[] {
  const told = lines.slice(lines.findLastIndex((line) => /^ +\^$/.test(line)) + 1);
  return [...untilTrace(told), ...told.filter(isPlace).slice(0, 1)].map(cutLine);
}

function untilTrace(lines: readonly string[]): string[] {
  const end = lines.findIndex((line) => /^ +(generatedMessage: |at )|^-{9}/.test(line));
  return shortened(end === -1 ? lines : lines.slice(0, end));
}

const isPlace = (line: string) => /^ +at .*\.test\.ts/.test(line);

/** Node repeats what failed at its end: the place, the name, what was thrown. */
function ofNode(lines: readonly string[]): FailedTest[] {
  const end = lines.indexOf('✖ failing tests:');
  if (end === -1) return ofNodeCut(lines);
  const starts = lines.flatMap((line, index) => (index > end && line.startsWith('test at ') ? [index] : []));
  return starts.map((start, number) => {
    const [place = '', named = '', ...told] = lines.slice(start, starts[number + 1]);
    const file = place.slice('test at '.length).replace(/(:\d+)*$/, '');
    const names = [...suitesOf(lines.slice(0, end), named), nameIn(named)];
    const ended = lines.filter((line) => names[0] === file && line.startsWith(`${file}: the process ended`));
    return {
      name: (names[0] === file ? names : [file, ...names]).join(' > '),
      message: [...untilTrace(told), ...told.filter(isPlace).slice(0, 1), ...ended].map(cutLine),
    };
  });
}

/** Where it was ended before it could repeat them: the names of tests that failed, and of what was in none. */
function ofNodeCut(lines: readonly string[]): FailedTest[] {
  const isSuite = (line: string, index: number) =>
    lines.slice(0, index).some((before) => before === line.replace('✖', '▶').replace(/ \([\d.]+ms\)$/, ''));
  return lines.flatMap((line, index) =>
    /^ *✖ /.test(line) && !isSuite(line, index)
      ? [
          {
            name: [...suitesOf(lines.slice(0, index + 1), line.trim()), nameIn(line)].join(' > '),
            message: [],
          },
        ]
      : [],
  );
}

/** The suites that a test stands in: those whose beginning was printed before it and further left. */
function suitesOf(lines: readonly string[], named: string): string[] {
  let index = lines.findLastIndex((line) => line.trim() === named);
  let depth = indentOf(lines[index] ?? '');
  const suites: string[] = [];
  for (; index >= 0 && depth > 0; index--) {
    const line = lines[index] ?? '';
    if (!/^ *▶ /.test(line) || indentOf(line) >= depth) continue;
    depth = indentOf(line);
    suites.unshift(line.trim().slice(2));
  }
  return suites;
}

const indentOf = (line: string) => line.length - line.trimStart().length;
const nameIn = (line: string) =>
  line
    .trim()
    .replace(/^✖ /, '')
    .replace(/ \([\d.]+ms\)$/, '');
const shortened = (lines: readonly string[]) => lines.filter((line) => line !== '').slice(0, longestMessage);
const lastOf = (lines: readonly string[]) =>
  lines
    .filter((line) => line !== '')
    .slice(-longestMessage)
    .map(cutLine);
const cutLine = (line: string) => (line.length > longestLine ? `${line.slice(0, longestLine)}…` : line);
