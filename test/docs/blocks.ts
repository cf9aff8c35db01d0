/** A fenced block of a Markdown file, and the prose since the block before it. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** Of the opening fence, from 1. */
  readonly line: number;
  readonly heading: string;
  readonly before: string;
}

/** `Keep `result.accessToken` as `$TOKEN``, or `Keep the header `ETag` as `$TAG``: for people and for the test. */
export interface Keep {
  readonly from: string;
  readonly header: boolean;
  readonly as: string;
}

/** What a page shows, as things to do in this order. */
export type Step =
  | { readonly kind: 'file'; readonly name: string; readonly block: Block }
  | {
      readonly kind: 'commands';
      readonly block: Block;
      /** What the last command answers. */
      readonly answer: Block | undefined;
      readonly keep: readonly Keep[];
    };

/** `path`: of the page, for messages. */
export function readSteps(markdown: string, path: string): Step[] {
  const { blocks, tail } = readBlocks(markdown);
  const steps: Step[] = [];
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index] as Block;
    const name = fileName(block);
    if (name !== undefined) {
      steps.push({ kind: 'file', name, block });
      continue;
    }
    if (block.language !== 'sh') {
      throw new Error(`${path}:${block.line}: is neither a command, nor its answer, nor a file with a name`);
    }
    const next = blocks[index + 1];
    const answer = next && next.language !== 'sh' && fileName(next) === undefined ? next : undefined;
    if (answer) index += 1;
    const after = blocks[index + 1]?.before ?? tail;
    steps.push({ kind: 'commands', block, answer, keep: readKeeps(after) });
  }
  return steps;
}

/** `… to `shop.json`:` right before a block makes it a file. */
function fileName({ before }: Block): string | undefined {
  return /`([\w-]+\.(?:json|ts|csv|yml))`:\s*$/.exec(before)?.[1];
}

function readKeeps(prose: string): Keep[] {
  const found = prose.matchAll(/[Kk]eep (the header )?`([\w.[\]-]+)`\s+as\s+`\$(\w+)`/g);
  return [...found].map(([, header, from = '', as = '']) => ({ from, header: header !== undefined, as }));
}

function readBlocks(markdown: string): { blocks: Block[]; tail: string } {
  const blocks: Block[] = [];
  let heading = '';
  let prose: string[] = [];
  let open: { language: string; line: number; lines: string[] } | undefined;
  markdown.split('\n').forEach((line, index) => {
    const fence = /^```(\w*)$/.exec(line);
    if (open) {
      if (!fence) open.lines.push(line);
      else {
        const { language, line: at, lines } = open;
        blocks.push({ language, text: lines.join('\n'), line: at, heading, before: prose.join('\n') });
        open = undefined;
        prose = [];
      }
    } else if (fence) open = { language: fence[1] ?? '', line: index + 1, lines: [] };
    else {
      heading = /^#+ (.*)$/.exec(line)?.[1] ?? heading;
      prose.push(line);
    }
  });
  return { blocks, tail: prose.join('\n') };
}
