/** Series about the host itself: when it was away, how its clock was set, and until when its certificates hold. */
import { X509Certificate } from 'node:crypto';
import type { Definition, MetricsRegistry } from '../../shared/serving/http/prometheus.ts';
import type { Certificates } from '../../shared/serving/machine/files.ts';

const STEPS = 'rollcall_clock_steps_total';
const STEP_SECONDS = 'rollcall_clock_step_seconds_total';
const ABSENCES = 'rollcall_absences_total';
const ABSENT_SECONDS = 'rollcall_absent_seconds_total';
const EXPIRY = 'rollcall_certificate_expiration_timestamp_seconds';

export const PRESENCE_SERIES: Readonly<Record<string, Definition>> = {
  [STEPS]: {
    kind: 'counter',
    help: 'How often the clock was set while the host ran, by direction: forward, back.',
    labels: ['direction'],
  },
  [STEP_SECONDS]: {
    kind: 'counter',
    help: 'Seconds by which the clock was set while the host ran, by direction: forward, back.',
    labels: ['direction'],
  },
  [ABSENCES]: {
    kind: 'counter',
    help: 'How often the host was back after it had been away: stopped, suspended, or unable to store.',
  },
  [ABSENT_SECONDS]: { kind: 'counter', help: 'Seconds for which the host was away before it was back.' },
  [EXPIRY]: {
    kind: 'gauge',
    help: 'When a certificate of the host expires, seconds since 1970: ca, server.',
    labels: ['certificate'],
  },
};

/** Records an absence of so many milliseconds. */
export const recordAbsence = (metrics: MetricsRegistry, awayMs: number): void => {
  metrics.add(ABSENCES);
  metrics.add(ABSENT_SECONDS, {}, awayMs / 1000);
};

/** Records a step of the clock; `byMs` is negative if it was set back. */
export const recordStep = (metrics: MetricsRegistry, byMs: number): void => {
  const direction = byMs < 0 ? 'back' : 'forward';
  metrics.add(STEPS, { direction });
  metrics.add(STEP_SECONDS, { direction }, Math.abs(byMs) / 1000);
};

/** Sets what is counted to 0, so that its first increase can be seen, and records when the certificates expire. */
export const beginPresence = (metrics: MetricsRegistry, { ca, server }: Certificates): void => {
  for (const direction of ['forward', 'back'])
    for (const name of [STEPS, STEP_SECONDS]) metrics.add(name, { direction }, 0);
  for (const name of [ABSENCES, ABSENT_SECONDS]) metrics.add(name, {}, 0);
  for (const [certificate, pem] of Object.entries({ ca, server: server.certificate }))
    metrics.set(EXPIRY, { certificate }, Date.parse(new X509Certificate(pem).validTo) / 1000);
};
