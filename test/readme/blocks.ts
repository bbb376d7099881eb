/**
 * The shell blocks of a page, in their order. A comment above a block says what is special about running it:
 *
 *   <!-- not run: needs an AWS account -->          the block is not run, and why
 *   <!-- needs: kubectl -->                         only where this program is installed
 *   <!-- stop: npm start -->                        first ends what runs in the background by this command
 *   <!-- background: npm start, until: ready -->    the line that begins so goes on; the next one waits for a line with `ready`
 *   <!-- for 5s: kubectl get nodes -w -->           the line that begins so is ended after so long; without a command: the block
 *   <!-- skip: npm ci, because: it is done -->      the line that begins so is left out
 *   <!-- elsewhere, with: node_modules/node/bin --> the block runs with this folder first in PATH; after it, PATH and the current folder
 *                                                   are as they were before
 *
 * Every other block, and every other line, is run as it stands.
 */

export type Directive =
  | { readonly kind: 'not run'; readonly reason: string }
  | { readonly kind: 'needs'; readonly program: string }
  | { readonly kind: 'stop'; readonly command: string }
  | { readonly kind: 'background'; readonly command: string; readonly until: string }
  | { readonly kind: 'for'; readonly seconds: number; readonly command: string }
  | { readonly kind: 'skip'; readonly command: string; readonly reason: string }
  | { readonly kind: 'elsewhere'; readonly programs: string };

export interface Block {
  /** Number of its first line in the file. */
  readonly line: number;
  readonly text: string;
  readonly directives: readonly Directive[];
}

const READERS: readonly ((comment: string) => Directive | undefined)[] = [
  (comment) => {
    const [, reason] = /^not run: (.+)$/.exec(comment) ?? [];
    return reason === undefined ? undefined : { kind: 'not run', reason };
  },
  (comment) => {
    const [, program] = /^needs: (\S+)$/.exec(comment) ?? [];
    return program === undefined ? undefined : { kind: 'needs', program };
  },
  (comment) => {
    const [, command] = /^stop: (.+)$/.exec(comment) ?? [];
    return command === undefined ? undefined : { kind: 'stop', command };
  },
  (comment) => {
    const [, command, until] = /^background: (.+), until: (.+)$/.exec(comment) ?? [];
    return command === undefined || until === undefined ? undefined : { kind: 'background', command, until };
  },
  (comment) => {
    const [, seconds, command = ''] = /^for (\d+)s(?:: (.+))?$/.exec(comment) ?? [];
    return seconds === undefined ? undefined : { kind: 'for', seconds: Number(seconds), command };
  },
  (comment) => {
    const [, command, reason] = /^skip: (.+), because: (.+)$/.exec(comment) ?? [];
    return command === undefined || reason === undefined ? undefined : { kind: 'skip', command, reason };
  },
  (comment) => {
    const [, programs] = /^elsewhere, with: (\S+)$/.exec(comment) ?? [];
    return programs === undefined ? undefined : { kind: 'elsewhere', programs };
  },
];

const directiveOf = (comment: string, line: number): Directive => {
  for (const read of READERS) {
    const directive = read(comment);
    if (directive) return directive;
  }
  throw new Error(`line ${line}: <!-- ${comment} --> says nothing about the block below it`);
};

const checkCommands = ({ directives, text, line }: Block): void => {
  const lines = text.split('\n');
  for (const directive of directives) {
    if (!('command' in directive) || directive.kind === 'stop' || directive.command === '') continue;
    if (!lines.some((one) => one.startsWith(directive.command)))
      throw new Error(`line ${line}: no line of the block begins with "${directive.command}"`);
  }
};

const COMMENT = /^<!-- (.*) -->$/gm;
/** A block with the comments above it. */
const PART = /^(?<comments>(?:<!-- .* -->\n+)*)```(?<language>\w*)\n(?<text>[\s\S]*?)^```$/gm;

const lineAt = (markdown: string, index: number): number => markdown.slice(0, index).split('\n').length;

const directivesOf = (markdown: string, comments: string, index: number): readonly Directive[] =>
  [...comments.matchAll(COMMENT)].map((found) =>
    directiveOf(found[1] ?? '', lineAt(markdown, index + found.index)),
  );

/** Reads the blocks. Throws for a comment that is misspelt, and for one that belongs to no line of a block of `sh`. */
export const blocksOf = (markdown: string): readonly Block[] => {
  const blocks: Block[] = [];
  for (const { groups = {}, index } of markdown.matchAll(PART)) {
    const { comments = '', language, text = '' } = groups;
    if (language !== 'sh') continue;
    const line = lineAt(markdown, index + comments.length) + 1;
    const directives = directivesOf(markdown, comments, index);
    blocks.push({ line, text: text.trimEnd(), directives });
  }
  for (const block of blocks) checkCommands(block);
  const used = blocks.reduce((sum, { directives }) => sum + directives.length, 0);
  if (used !== [...markdown.matchAll(COMMENT)].length)
    throw new Error('a comment stands above no block of sh: only these are run');
  return blocks;
};
