import { describe, expect, it } from 'vitest';
import { lastWords, logLine } from '../../../../../agent/rules/cri/log-lines.ts';
import { ContainerStatus } from '../../../../../agent/rules/cri/messages/containers.ts';
import {
  nextRotation,
  rotatedLogName,
  rotatedLogsOf,
  surplusLogs,
} from '../../../../../agent/rules/cri/rotated-logs.ts';
import {
  asksForLogs,
  isFinal,
  mayBeForMemory,
  ownIdOf,
  runtimeContainer,
} from '../../../../../agent/rules/cri/runtime-container.ts';
import { decode } from '../../../../../agent/rules/cri/wire/decode.ts';
import type { Draft } from '../../../../../agent/rules/cri/wire/describe.ts';
import { encode } from '../../../../../agent/rules/cri/wire/encode.ts';

const statusOf = (draft: Draft<typeof ContainerStatus>): ContainerStatus =>
  decode(ContainerStatus, encode(ContainerStatus, draft));

const BASE = {
  id: 'abc',
  metadata: { name: 'c', attempt: 2 },
  image: { image: 'shell:1' },
  imageRef: 'sha256:1',
  createdAt: 1_000e6,
  startedAt: 2_000e6,
  finishedAt: 3_000e6,
  labels: { 'io.kubernetes.container.name': 'c' },
  annotations: { 'io.kubernetes.container.restartCount': '2', 'rollcall.dev/wanted-image': 'shell' },
};
const SHOWN = {
  id: 'containerd://abc',
  name: 'c',
  createdAt: 1000,
  restartCount: 2,
  image: 'shell:1',
  imageId: 'sha256:1',
  wantedImage: 'shell',
};

describe('a container of the runtime', () => {
  it.each([
    ['created', { state: 'CONTAINER_CREATED' }, '', { ...SHOWN, state: 'created' }],
    ['running', { state: 'CONTAINER_RUNNING' }, '', { ...SHOWN, state: 'running', startedAt: 2000 }],
    [
      'ended',
      { state: 'CONTAINER_EXITED', exitCode: 3, reason: 'Error' },
      '',
      { ...SHOWN, state: 'exited', startedAt: 2000, finishedAt: 3000, exitCode: 3, reason: 'Error' },
    ],
    [
      'ended, with its last words behind those of the runtime',
      { state: 'CONTAINER_EXITED', exitCode: 128, reason: 'StartError', message: 'no such file' },
      'bye',
      {
        ...SHOWN,
        state: 'exited',
        startedAt: 2000,
        finishedAt: 3000,
        exitCode: 128,
        reason: 'StartError',
        message: 'no such file: bye',
      },
    ],
    [
      'ended before the runtime noted its start',
      { state: 'CONTAINER_EXITED', reason: 'Completed', finishedAt: 1_999e6 },
      '',
      { ...SHOWN, state: 'exited', startedAt: 2000, finishedAt: 2000, exitCode: 0, reason: 'Completed' },
    ],
    ['unknown', { state: 'CONTAINER_UNKNOWN' }, '', { ...SHOWN, state: 'unknown', startedAt: 2000 }],
  ] as const)('%s', (_, more, said, expected) => {
    expect(runtimeContainer('containerd', statusOf({ ...BASE, ...more }), said)).toEqual(expected);
  });

  it('has the id of its image where the runtime tells it, and the names of its metadata where labels are lost', () => {
    const status = statusOf({ ...BASE, imageId: 'sha256:2', labels: {}, annotations: {} });
    expect(runtimeContainer('cri-o', status, '')).toMatchObject({
      id: 'cri-o://abc',
      imageId: 'sha256:2',
      name: 'c',
      restartCount: 2,
    });
  });

  it('has an id that leads back to the runtime', () => {
    expect(ownIdOf('containerd://abc')).toBe('abc');
  });

  it('may turn out to have had too much memory for half a second, and is final after ten', () => {
    const killed = statusOf({ ...BASE, state: 'CONTAINER_EXITED', exitCode: 137, reason: 'Error' });
    expect([3000, 3400, 3600].map((now) => mayBeForMemory(killed, now))).toEqual([true, true, false]);
    expect(mayBeForMemory({ ...killed, reason: 'OOMKilled' }, 3000)).toBe(false);
    expect(mayBeForMemory({ ...killed, exitCode: 1 }, 3000)).toBe(false);
    expect([3000, 12_000, 14_000].map((now) => isFinal(killed, now))).toEqual([false, false, true]);
    expect(isFinal(statusOf({ ...BASE, state: 'CONTAINER_RUNNING' }), 99_000)).toBe(false);
  });

  it('asks for its log only after a failure, by its policy', () => {
    const annotations = { 'io.kubernetes.container.terminationMessagePolicy': 'FallbackToLogsOnError' };
    expect(asksForLogs(statusOf({ annotations, exitCode: 1, reason: 'Error' }))).toBe(true);
    expect(asksForLogs(statusOf({ annotations, exitCode: 0, reason: 'Completed' }))).toBe(false);
    expect(asksForLogs(statusOf({ annotations, exitCode: 1, reason: 'ContainerCannotRun' }))).toBe(false);
    expect(asksForLogs(statusOf({ exitCode: 1, reason: 'Error' }))).toBe(false);
  });
});

describe('the log of a container', () => {
  const TIME = '2016-10-06T00:17:09.669794202Z';

  it.each([
    [`${TIME} stdout F hello world`, { time: TIME, stream: 'stdout', isPart: false, text: 'hello world' }],
    [`${TIME} stderr P begin `, { time: TIME, stream: 'stderr', isPart: true, text: 'begin ' }],
    [`${TIME} stdout F:tag `, { time: TIME, stream: 'stdout', isPart: false, text: '' }],
    [`${TIME} stdout F`, { time: TIME, stream: 'stdout', isPart: false, text: '' }],
    ['text of another kind', undefined],
  ])('has the line %s', (line, expected) => {
    expect(logLine(line)).toEqual(expected);
  });

  it('ends with the last words, of which parts are put together', () => {
    const log = ['a', 'b'].map((text) => `${TIME} stdout F ${text}`);
    const text = [...log, `${TIME} stdout P c`, `${TIME} stdout F d`, ''].join('\n');
    expect(lastWords(text, 80, 2048)).toBe('a\nb\ncd\n');
    expect(lastWords(text, 2, 2048)).toBe('cd\n');
    expect(lastWords(text, 80, 3)).toBe('cd\n');
  });

  it('has older files by the time of their rotation', () => {
    expect(rotatedLogName('0.log', Date.UTC(2020, 0, 2, 15, 4, 5))).toBe('0.log.20200102-150405');
    const names = [
      '0.log',
      '0.log.20200102-150406',
      '0.log.20200102-150405.gz',
      '0.log.tmp',
      '10.log.20200102-150405',
    ];
    expect(rotatedLogsOf('0.log', names)).toEqual(['0.log.20200102-150405.gz', '0.log.20200102-150406']);
  });

  it('is rotated behind its older files, whatever the clock says', () => {
    const last = Date.UTC(2020, 0, 2, 15, 4, 5);
    const rotated = ['0.log.20200101-000000.gz', '0.log.20200102-150405'];
    expect(nextRotation([], last)).toBe(last);
    expect(nextRotation(rotated, last + 60_000)).toBe(last + 60_000);
    expect(nextRotation(rotated, last + 10)).toBe(last + 1000);
    expect(nextRotation(rotated, last - 3_600_000)).toBe(last + 1000);
    expect(nextRotation(['0.log.20200102-150405.gz'], 0)).toBe(last + 1000);
  });

  it('keeps as many files as it may with the new one', () => {
    expect(surplusLogs(['a', 'b', 'c'], 3)).toEqual(['a', 'b']);
    expect(surplusLogs(['a'], 5)).toEqual([]);
    expect(surplusLogs(['a', 'b'], 2)).toEqual(['a', 'b']);
  });
});
