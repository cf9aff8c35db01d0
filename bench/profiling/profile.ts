import { readFileSync } from 'node:fs';
import { root } from '../children.ts';

interface Node {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

interface Recorded {
  readonly nodes: readonly Node[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
  /** Microseconds since 1970. */
  readonly startTime: number;
}

export interface Frame {
  readonly name: string;
  /** Within the repository; '' for what is the runtime's own. */
  readonly file: string;
}

/** What ran at the moments that were looked at: the innermost function first. */
export type Profile = readonly (readonly Frame[])[];

/** Milliseconds since 1970. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** Of a .cpuprofile the part within a window. Bun looks at JavaScript alone: what it does beside that is in no sample. */
export function readProfile(path: string, { from, to }: Window): Profile {
  const { nodes, samples, timeDeltas, startTime } = JSON.parse(readFileSync(path, 'utf8')) as Recorded;
  const stacks = stacksOf(nodes);
  let at = startTime;
  return samples.flatMap((id, index) => {
    at += timeDeltas[index] ?? 0;
    const stack = stacks.get(id) ?? [];
    const idle = stack.length === 0 || stack[0]?.name === '(idle)';
    return idle || at < from * 1_000 || at > to * 1_000 ? [] : [stack];
  });
}

function stacksOf(nodes: readonly Node[]): Map<number, Frame[]> {
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const frames = new Map(nodes.map((node) => [node.id, frameOf(node)]));
  const stackOf = (id: number) => {
    const stack: Frame[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const frame = frames.get(at);
      if (frame && frame.name !== '(root)') stack.push(frame);
    }
    return stack;
  };
  return new Map(nodes.map(({ id }) => [id, stackOf(id)]));
}

function frameOf({ callFrame: { functionName, url } }: Node): Frame {
  const file = url.replace(/^file:\/\//, '').replace(`${root}/`, '');
  return { name: functionName || '(anonymous)', file };
}
