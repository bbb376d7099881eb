import { type BackOff, RESTART_LIMITS, restartDecision } from '../../../agent/rules/containers/back-off.ts';
import { backOffEvent, backOffMessage } from '../../../agent/rules/containers/back-off-text.ts';
import type { Container } from '../../../agent/rules/containers/container.ts';
import { containerGrace, type StopReason } from '../../../agent/rules/containers/grace.ts';
import { shouldStart } from '../../../agent/rules/containers/restart.ts';
import type { RuntimeContainer } from '../../../agent/rules/containers/runtime-status.ts';
import { type Replays, replay } from '../replay.ts';

interface GraceRow {
  readonly specGrace: number | null;
  readonly deletionGrace: number | null;
  readonly livenessGrace: number | null;
  readonly startupGrace: number | null;
  readonly reason: string;
}

interface RestartRow {
  readonly deleting: boolean;
  readonly restartPolicy: string;
  readonly sidecar: boolean;
  readonly state: string;
}

const REASONS: Readonly<Record<string, StopReason>> = {
  LivenessProbe: 'livenessProbe',
  StartupProbe: 'startupProbe',
};

const probeWith = (seconds: number | null) =>
  seconds === null ? {} : { terminationGracePeriodSeconds: seconds };

const latestOf = (text: string): Pick<RuntimeContainer, 'state' | 'exitCode'> | undefined => {
  const [state, code] = text.split('-');
  if (state === 'none') return undefined;
  if (state === 'exited') return { state, exitCode: Number(code) };
  return { state: state as RuntimeContainer['state'] };
};

interface BackOffRow {
  readonly initialSeconds: number;
  readonly maxSeconds: number;
  readonly pollMs: number;
  readonly ranMs: readonly number[];
}

const POD = { metadata: { name: 'p', namespace: 'ns', uid: 'u' } };

/** One run after the other, each looked at every `pollMs` after its end. */
const restarts = ({ initialSeconds, maxSeconds, pollMs, ranMs }: BackOffRow) => {
  const limits = { ...RESTART_LIMITS, initialMs: initialSeconds * 1000, maxMs: maxSeconds * 1000 };
  let backOff: BackOff | undefined;
  let now = 0;
  return ranMs.map((ran) => {
    const exitedMs = now + ran;
    const messages = new Set<string>();
    for (now = exitedMs; ; now += pollMs) {
      const decision = restartDecision(backOff, exitedMs, now, limits);
      if (!decision.start) messages.add(backOffMessage(POD, 'c', decision.waitMs));
      else {
        backOff = decision.backOff;
        return { exitedMs, messages: [...messages], restartMs: now };
      }
    }
  });
};

export const TABLES: Replays = {
  'container-backoff': replay((row: BackOffRow) => {
    const steps = restarts(row);
    const hasWaited = steps.some(({ messages }) => messages.length > 0);
    return [...steps, ...(hasWaited ? [{ firstEvent: `Warning BackOff ${backOffEvent(POD, 'c')}` }] : [])];
  }),
  'container-grace': replay((row: GraceRow) => {
    const container: Container = {
      name: 'c',
      livenessProbe: probeWith(row.livenessGrace),
      startupProbe: probeWith(row.startupGrace),
    };
    const pod = {
      metadata: {
        name: 'p',
        ...(row.deletionGrace !== null && { deletionGracePeriodSeconds: row.deletionGrace }),
      },
      spec: { ...(row.specGrace !== null && { terminationGracePeriodSeconds: row.specGrace }) },
    };
    return containerGrace(pod, container, REASONS[row.reason] ?? 'other');
  }),
  'container-should-restart': replay(({ deleting, restartPolicy, state }: RestartRow) => {
    const metadata = { name: 'p', ...(deleting && { deletionTimestamp: '2026-01-01T00:00:00Z' }) };
    return shouldStart({ metadata, spec: { containers: [], restartPolicy } }, latestOf(state));
  }),
};
