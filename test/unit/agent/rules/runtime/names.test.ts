import { describe, expect, it } from 'vitest';
import {
  containerFolder,
  containerId,
  containerKey,
  isSafeName,
  isSameContainer,
} from '../../../../../agent/rules/containers/container-id.ts';
import { processStatIn } from '../../../../../agent/rules/machine/process-stat.ts';
import { words } from '../../../../../agent/rules/runtime/shell-text.ts';

describe('the id of a container', () => {
  it('names pod, container and restart', () => {
    const key = { podUid: 'a-1', name: 'web', restartCount: 4 };
    expect(containerId('runc', key)).toBe('runc://a-1/web/4');
    expect(containerKey('runc://a-1/web/4')).toEqual(key);
    expect(containerFolder(key)).toBe('web_4');
  });

  it('is read whichever runtime the agent had before', () => {
    expect(containerKey('process://a-1/web/4')).toEqual({ podUid: 'a-1', name: 'web', restartCount: 4 });
  });

  it.each([
    ['runc://a/web/0', 'runc://a/web/0', true],
    ['process://a/web/0', 'runc://a/web/0', true],
    ['crun://a/web/0', 'runc://a/web/0', true],
    ['runc://a/web/0', 'runc://a/web/1', false],
    ['runc://a/web/0', 'runc://b/web/0', false],
    ['containerd://0123', 'containerd://0123', true],
    ['containerd://0123', 'cri-o://0123', false],
  ])('%s and %s are of one container: %s', (one, other, isSame) => {
    expect(isSameContainer(one, other)).toBe(isSame);
    expect(isSameContainer(other, one)).toBe(isSame);
  });

  it.each([
    'containerd://0123456789abcdef',
    'a/web/0',
    'process://a/web',
    'process://a/web/x',
    'process://../web/0',
    'process://a/../0',
    'process://a/web/0/1',
    'process:///web/0',
  ])('is not %s', (id) => {
    expect(containerKey(id)).toBeUndefined();
  });

  it.each([
    ['web-0', true],
    ['', false],
    ['..', false],
    ['a/b', false],
    ['.hidden', false],
  ])('is made of names for folders: %j', (name, isSafe) => {
    expect(isSafeName(name)).toBe(isSafe);
  });
});

describe('text for a shell', () => {
  it('keeps words apart, whatever they contain', () => {
    expect(words(['echo', "it's", '$HOME `x`', ''])).toBe(`'echo' 'it'\\''s' '$HOME \`x\`' ''`);
  });
});

describe('the state of a process', () => {
  it('is read behind a name with parentheses', () => {
    const numbers = Array.from({ length: 30 }, (_, index) => String(index + 100));
    const text = `77 (a) (b c) S 1 77 78 ${numbers.join(' ')}`;
    expect(processStatIn(text)).toEqual({ state: 'S', parent: 1, session: 78, startTime: '115' });
  });

  it('is unknown without the whole text', () => {
    expect(['', '77 (a', '77 (a) S 1 2'].map(processStatIn)).toEqual([undefined, undefined, undefined]);
  });
});
