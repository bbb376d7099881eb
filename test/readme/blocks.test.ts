import { describe, expect, it } from 'vitest';
import { blocksOf } from './blocks.ts';

const block = (comment: string, text = 'npm start   # at once', language = 'sh'): string =>
  `## A section\n\nWords.\n\n${comment}\n\n\`\`\`${language}\n${text}\n\`\`\`\n`;

describe('the blocks of a README', () => {
  it('are those of sh, with their lines', () => {
    const markdown = `# T\n\n\`\`\`\nno shell\n\`\`\`\n\n${block('')}`;
    expect(blocksOf(markdown)).toEqual([{ line: 14, text: 'npm start   # at once', directives: [] }]);
  });

  it.each([
    ['<!-- not run: needs a cloud -->', { kind: 'not run', reason: 'needs a cloud' }],
    ['<!-- needs: kubectl -->', { kind: 'needs', program: 'kubectl' }],
    ['<!-- stop: npm start -->', { kind: 'stop', command: 'npm start' }],
    ['<!-- for 5s: npm start -->', { kind: 'for', seconds: 5, command: 'npm start' }],
    ['<!-- for 25s -->', { kind: 'for', seconds: 25, command: '' }],
    [
      '<!-- background: npm start, until: ready url= -->',
      { kind: 'background', command: 'npm start', until: 'ready url=' },
    ],
    [
      '<!-- skip: npm start, because: it is done -->',
      { kind: 'skip', command: 'npm start', reason: 'it is done' },
    ],
    ['<!-- elsewhere, with: a/bin -->', { kind: 'elsewhere', programs: 'a/bin' }],
  ])('obey %s', (comment, directive) => expect(blocksOf(block(comment))[0]?.directives).toEqual([directive]));

  it.each([
    ['a comment that is misspelt', block('<!-- notrun: why -->'), /line 5: .*says nothing/],
    ['a comment without a reason', block('<!-- not run -->'), /says nothing/],
    ['a command that is not there', block('<!-- for 5s: kubectl -->'), /begins with "kubectl"/],
    ['a comment above no block', '<!-- not run: why -->\n\nWords.\n', /above no block/],
    ['a comment above another language', block('<!-- not run: why -->', 'x: 1', 'yaml'), /above no block/],
  ])('refuse %s', (_, markdown, reason) => expect(() => blocksOf(markdown)).toThrow(reason));
});
