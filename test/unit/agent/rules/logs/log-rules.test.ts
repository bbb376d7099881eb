import { describe, expect, it } from 'vitest';
import type { AgentPodStatus } from '../../../../../agent/rules/containers/agent-pod.ts';
import type { ContainerStatus } from '../../../../../agent/rules/containers/container-status.ts';
import { criLine } from '../../../../../agent/rules/logs/cri-line.ts';
import { logContainer } from '../../../../../agent/rules/logs/log-container.ts';
import { logOptions } from '../../../../../agent/rules/logs/log-options.ts';
import { showLine, shownAtFirst } from '../../../../../agent/rules/logs/shown-lines.ts';
import { splitLines } from '../../../../../agent/rules/logs/split-lines.ts';
import { tailStart } from '../../../../../agent/rules/logs/tail-start.ts';
import { rotatedCriNames } from '../../../../../agent/rules/runtime/log-files.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');

describe('the options of a log', () => {
  const ALL = { follow: false, previous: false, timestamps: false };
  it.each([
    ['', ALL],
    ['follow=true&previous=1&timestamps=', { follow: true, previous: true, timestamps: true }],
    ['follow=false&previous=0&timestamps=FALSE', ALL],
    ['tailLines=0', { ...ALL, tailLines: 0 }],
    ['tail=7', { ...ALL, tailLines: 7 }],
    ['tail=all&tailLines=7', ALL],
    ['limitBytes=10', { ...ALL, limitBytes: 10 }],
    ['sinceSeconds=5', { ...ALL, since: NOW - 5000 }],
    ['sinceTime=2026-01-01T00:00:00Z', { ...ALL, since: Date.parse('2026-01-01T00:00:00Z') }],
    ['unknown=1', ALL],
  ])('%s', (query, expected) => {
    expect(logOptions(new URLSearchParams(query), NOW)).toEqual(expected);
  });

  it.each([
    ['tailLines=x', 400],
    ['sinceTime=yesterday', 400],
    ['tailLines=-1', 422],
    ['limitBytes=0', 422],
    ['sinceSeconds=0', 422],
    ['sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z', 422],
  ])('%s is refused with %i', (query, status) => {
    expect(logOptions(new URLSearchParams(query), NOW)).toMatchObject({ status });
  });
});

describe('the container whose log is read', () => {
  const terminated = (containerID?: string) => ({
    terminated: { exitCode: 1, ...(containerID && { containerID }) },
  });
  const status = (more: Partial<ContainerStatus>): ContainerStatus => ({
    name: 'c',
    image: '',
    imageID: '',
    ready: false,
    restartCount: 0,
    ...more,
  });
  const find = (more: Partial<ContainerStatus>, previous = false) =>
    logContainer(
      { name: 'p', status: { containerStatuses: [status(more)] }, firstReason: '' },
      'c',
      previous,
    );

  it.each(['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'])(
    'it is found among the %s',
    (field) => {
      const running = status({ state: { running: {} }, containerID: 'x://1' });
      const found = logContainer({ name: 'p', status: { [field]: [running] }, firstReason: '' }, 'c', false);
      expect(found).toEqual({ id: 'x://1' });
    },
  );

  it.each<[string, Partial<ContainerStatus>, object]>([
    ['runs', { state: { running: {} }, containerID: 'x://1' }, { id: 'x://1' }],
    ['has ended', { state: terminated('x://1') }, { id: 'x://1' }],
    ['did not start again', { state: terminated(), lastState: terminated('x://0') }, { id: 'x://0' }],
    [
      'has ended without a container',
      { state: terminated() },
      { error: 'container "c" in pod "p" is terminated' },
    ],
    ['waits after an end', { state: { waiting: {} }, lastState: terminated('x://0') }, { id: 'x://0' }],
    [
      'is created',
      { state: { waiting: { reason: 'ContainerCreating' } } },
      { error: 'container "c" in pod "p" is waiting to start: ContainerCreating' },
    ],
    [
      'has no image',
      { state: { waiting: { reason: 'ErrImagePull' } } },
      { error: 'container "c" in pod "p" is waiting to start: image can\'t be pulled' },
    ],
    ['is unknown', {}, { error: 'container "c" in pod "p" is waiting to start - no logs yet' }],
  ])('%s', (_, more, expected) => {
    expect(find(more)).toEqual(expected);
  });

  it('is the one before, if there is one', () => {
    expect(find({ state: { running: {} }, lastState: terminated('x://0') }, true)).toEqual({ id: 'x://0' });
    expect(find({ state: { running: {} } }, true)).toEqual({
      error: 'previous terminated container "c" in pod "p" not found',
    });
  });

  it.each<[string, AgentPodStatus, string]>([
    ['no status at all', {}, 'waiting to start: PodInitializing'],
    [
      'the status of a new pod',
      { phase: 'Pending', containerStatuses: [] },
      'waiting to start: PodInitializing',
    ],
    ['statuses of others', { phase: 'Pending', containerStatuses: [status({ name: 'd' })] }, 'not available'],
    ['statuses of init containers only', { initContainerStatuses: [status({ name: 'd' })] }, 'not available'],
    ['the status of a pod that was refused', { phase: 'Failed' }, 'not available'],
  ])('is missing: %s', (_, podStatus, said) => {
    const pod = { name: 'p', status: podStatus, firstReason: 'PodInitializing' };
    expect(logContainer(pod, 'c', false)).toEqual({ error: `container "c" in pod "p" is ${said}` });
  });
});

describe('a line of a CRI log', () => {
  const read = (line: string) => {
    const found = criLine(Buffer.from(line));
    return found && { ...found, text: Buffer.from(found.text).toString() };
  };
  const at = Date.parse('2026-01-02T03:04:05.6Z');
  it.each([
    ['2026-01-02T03:04:05.6Z stdout F hello world\n', 'hello world\n'],
    ['2026-01-02T03:04:05.6Z stderr P a part\n', 'a part'],
    ['2026-01-02T03:04:05.6Z stdout F:x \n', '\n'],
    ['2026-01-02T03:04:05.6Z stdout F cut', 'cut'],
  ])('%j', (line, text) => {
    expect(read(line)).toEqual({ text, at, time: '2026-01-02T03:04:05.600000000Z' });
  });
  it.each(['hello world\n', '2026-01-02T03:04:05.6Z stdin F x\n', '2026-01-02T03:04:05.6Z stdout\n', '\n'])(
    '%j is none',
    (line) => {
      expect(read(line)).toBeUndefined();
    },
  );
});

describe('what is shown', () => {
  const all = (query: string, ...texts: readonly string[]): string => {
    const options = logOptions(new URLSearchParams(query), NOW);
    if ('status' in options) throw new Error(options.message);
    let shown = shownAtFirst(options);
    return texts
      .map((text, index) => {
        const line = { text: Buffer.from(text), at: NOW - 10_000 + index * 1000, time: `T${index}` };
        const next = showLine(shown, line, options);
        shown = next.shown;
        return Buffer.from(next.bytes).toString();
      })
      .join('');
  };
  it('has a time at the beginning of each line only', () => {
    expect(all('timestamps=true', 'a', 'b\n', 'c\n')).toBe('T0 ab\nT2 c\n');
  });
  it('leaves out what is older', () => {
    expect(all('sinceSeconds=9', 'a\n', 'b\n', 'c\n')).toBe('b\nc\n');
  });
  it('is cut, unless it is followed', () => {
    expect(all('limitBytes=3', 'ab\n', 'cd\n')).toBe('ab\n');
    expect(all('limitBytes=4', 'ab\n', 'cd\n')).toBe('ab\nc');
    expect(all('limitBytes=3&follow=true', 'ab\n', 'cd\n')).toBe('ab\ncd\n');
    expect(all('tailLines=1', 'ab\n', 'cd\n')).toBe('ab\n');
    expect(all('tailLines=0', 'ab\n')).toBe('');
    expect(all('tailLines=1&sinceSeconds=9', 'old\n', 'new\n')).toBe('');
    expect(all('tailLines=1&follow=true', 'ab\n', 'cd\n')).toBe('ab\ncd\n');
  });
});

describe('the cutting of lines', () => {
  it('keeps the beginning of a line, and gives long ones in pieces', () => {
    const first = splitLines(Buffer.alloc(0), Buffer.from('ab\ncd'), 4);
    expect([first.lines.map(String), String(first.rest)]).toEqual([['ab\n'], 'cd']);
    const second = splitLines(first.rest, Buffer.from('efghi\nj'), 4);
    expect([second.lines.map(String), String(second.rest)]).toEqual([['cdefghi\n'], 'j']);
    const third = splitLines(second.rest, Buffer.from('klmnopq'), 4);
    expect([third.lines.map(String), String(third.rest)]).toEqual([['jklm', 'nopq'], '']);
  });
});

describe('the last lines', () => {
  const tail = (text: string, lines: number, step = 3) =>
    tailStart(
      async (from, to) => Buffer.from(text.slice(from, to)),
      { from: 0, to: text.length, step },
      lines,
    );
  it.each([
    ['a\nb\nc\n', 2, 2, 0],
    ['a\nb\nc\n', 3, 0, 0],
    ['a\nb\nc\n', 5, 0, 2],
    ['a\nb\nc\n', 0, 6, 0],
    ['a\nb\nrest', 1, 2, 0],
    ['', 1, 0, 1],
  ])('of %j, %i of them', async (text, lines, offset, missing) => {
    expect(await tail(text, lines)).toEqual({ offset, missing: missing });
    expect(await tail(text, lines, 1000)).toEqual({ offset, missing: missing });
  });
});

describe('files of older lines', () => {
  it('are in the order of their times, the compressed one only alone', () => {
    const names = [
      '0.log',
      '0.log.20260102-030405.gz',
      '0.log.20260101-000000.gz',
      '0.log.20260102-030405',
      '1.log',
      '0.log.tmp',
    ];
    expect(rotatedCriNames('0.log', names)).toEqual(['0.log.20260101-000000.gz', '0.log.20260102-030405']);
  });
});
