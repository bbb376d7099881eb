import { describe, expect, it } from 'vitest';
import { resolved } from '../../../../clients/kubectl/patterns.ts';
import { parseTranscript } from '../../../../clients/kubectl/transcript.ts';

const TEXT = `# a comment
$ kubectl get node $NODE
NAME  AGE
[1.20] old
[1.27-] new

[1.27-] $ kubectl auth whoami
somebody
$ kubectl apply -f - <<END
> kind: Node
> END
! error: no
= 1
\\$ literally
`;

describe('a transcript', () => {
  it('is commands with what they print, for one version', () => {
    expect(parseTranscript(TEXT, '1.20')).toEqual([
      { command: 'kubectl get node $NODE', out: ['NAME  AGE', 'old'], err: [], code: 0 },
      {
        command: 'kubectl apply -f - <<END\nkind: Node\nEND',
        out: ['$ literally'],
        err: ['error: no'],
        code: 1,
      },
    ]);
  });

  it('has commands that only some versions know', () => {
    expect(parseTranscript(TEXT, '1.33').map(({ command, out }) => [command, out])).toEqual([
      ['kubectl get node $NODE', ['NAME  AGE', 'new']],
      ['kubectl auth whoami', ['somebody']],
      ['kubectl apply -f - <<END\nkind: Node\nEND', ['$ literally']],
    ]);
  });
});

describe('an expected line', () => {
  it.each([
    ['n1  Ready  {age}', 'n1     Ready   8m12s', true],
    ['n1  Ready  {age}', 'n1 Ready 5s', false],
    ['n1  Ready  {age}', 'n1  Ready  <unknown>', false],
    ['"{time}"', '"2026-01-02T03:04:05Z"', true],
    ['"{time}"', '"2026-01-02T03:04:05.5Z"', false],
    ['"{micro}"', '"2026-01-02T03:04:05.000001Z"', true],
    ['uid: {uid}', 'uid: 0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0', true],
    ['a.c', 'abc', false],
    ['{items}', '{items}', true],
  ])('%j allows %j: %s', (expected, actual, allowed) => {
    expect(resolved([expected], [actual])).toEqual([allowed ? actual : expected]);
  });

  it('is found after lines that are missing or too many', () => {
    expect(resolved(['gone', 'a {age}', 'b {age}'], ['new', 'a 1s', 'b 2s'])).toEqual([
      'gone',
      'a 1s',
      'b 2s',
    ]);
  });
});
