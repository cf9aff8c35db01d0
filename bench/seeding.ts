const mostIds = 50_000;

/** Keeps some ids of many, spread over all of them. */
export function sampleIds(records: number) {
  const step = Math.max(1, Math.floor(records / mostIds));
  const ids: string[] = [];
  let seen = 0;
  return {
    add(id: string): void {
      if (seen % step === 0) ids.push(id);
      seen += 1;
    },
    ids: (): readonly string[] => ids,
  };
}

/** A line that says how far the filling of a server is. */
export function progress(name: string, records: number) {
  const begin = performance.now();
  let done = 0;
  let told = 0;
  const add = (added: number): void => {
    done += added;
    const now = performance.now();
    if (done < records && now - told < 1_000) return;
    told = now;
    const seconds = (now - begin) / 1_000;
    const line = `filling ${name}: ${done} of ${records} records, ${Math.round(done / seconds)}/s`;
    process.stderr.write(process.stderr.isTTY ? `\r${line}` : done < records ? '' : line);
    if (done >= records) process.stderr.write('\n');
  };
  /** Records, from the first to the last. */
  const perSecond = () => done / ((performance.now() - begin) / 1_000);
  return { add, perSecond };
}
