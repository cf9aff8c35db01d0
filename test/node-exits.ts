import type { TestEvent } from 'node:test/reporters';

/** What the reporters of Node leave out: how the process of a file ended that failed without a test that did. */
async function* exits(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== 'test:fail') continue;
    const { exitCode, signal } = data.details.error as { exitCode?: number | null; signal?: string | null };
    if (exitCode === undefined && signal === undefined) continue;
    yield `${data.name}: the process ended with ${signal ?? `status ${exitCode}`}\n`;
  }
}

// biome-ignore lint/style/noDefaultExport: this is where Node looks for a reporter
export default exits;
