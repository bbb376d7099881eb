/** The body of a NodeShutdownReport, checked field by field. */
import { type FieldError, invalidObject, invalidValue, required } from '../../kube/errors/field-error.ts';
import { isObject, type JsonObject } from '../../kube/json/json-object.ts';
import type { ShutdownReport } from '../../rules/shutdown/shutdown-report.ts';

const KIND = { group: 'rollcall.dev', kind: 'NodeShutdownReport' } as const;
const MAX_ID = 64;
/** A day. What is longer than the control plane believes is cut there. */
const MAX_SECONDS = 86_400;
const MAX_PHASES = 1_000;
const TYPE_META: readonly string[] = ['kind', 'apiVersion'];

/** The least and the most that a field may be. */
const RANGES = {
  phase: [1, MAX_PHASES],
  phases: [1, MAX_PHASES],
  phaseSeconds: [0, MAX_SECONDS],
  remainingSeconds: [0, MAX_SECONDS],
  totalSeconds: [0, MAX_SECONDS],
} as const;

const idFaults = (id: unknown): readonly FieldError[] => {
  if (id === undefined || id === '') return [required('id')];
  const isFine = typeof id === 'string' && id.length <= MAX_ID;
  return isFine ? [] : [invalidValue('id', id, `must be a string of at most ${MAX_ID} characters`)];
};

const rangeFaults = (body: JsonObject): readonly FieldError[] =>
  Object.entries(RANGES).flatMap(([name, [least, most]]) => {
    const value = body[name];
    if (value === undefined) return name === 'remainingSeconds' ? [required(name)] : [];
    const isFine = Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
    return isFine ? [] : [invalidValue(name, value, `must be a whole number from ${least} to ${most}`)];
  });

const unknownFaults = (body: JsonObject): readonly FieldError[] => {
  const known = ['id', ...Object.keys(RANGES)];
  return Object.keys(body)
    .filter((name) => !known.includes(name) && !TYPE_META.includes(name))
    .map((name) => invalidValue(name, body[name], `must be one of ${known.join(', ')}`));
};

/** Throws 422 that names each wrong field. What is left out follows from the rest: one phase, all of the time. */
export const readShutdownReport = (given: unknown, node: string): ShutdownReport => {
  const body = isObject(given) ? given : {};
  const faults = [...unknownFaults(body), ...idFaults(body['id']), ...rangeFaults(body)];
  if (faults.length > 0) throw invalidObject(KIND, node, faults);
  const { id, remainingSeconds, ...others } = body as unknown as Partial<ShutdownReport> & {
    readonly id: string;
    readonly remainingSeconds: number;
  };
  const { phase = 1, phases = 1 } = others;
  if (phase > phases)
    throw invalidObject(KIND, node, [invalidValue('phase', phase, 'must not be greater than phases')]);
  const { phaseSeconds = remainingSeconds, totalSeconds = remainingSeconds } = others;
  return { id, phase, phases, phaseSeconds, remainingSeconds, totalSeconds };
};
