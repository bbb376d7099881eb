import { printable } from '../../shared/kube/text/printable.ts';

/** What a running agent tells about itself. Instants are wall time, ms. */
export interface AgentStatus {
  readonly nodeName: string;
  readonly server: string;
  readonly version: string;
  readonly pid: number;
  readonly startedAt: number;
  /** Absent: it has not joined yet. */
  readonly joinedAt?: number;
  /** Absent: not yet. */
  readonly lastBeatAt?: number;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isInstant = (value: unknown): boolean =>
  typeof value === 'number' && !Number.isNaN(new Date(value).valueOf());
const isInstantOrAbsent = (value: unknown): boolean => value === undefined || isInstant(value);

const FIELDS: Readonly<Record<keyof AgentStatus, (value: unknown) => boolean>> = {
  nodeName: isText,
  server: isText,
  version: isText,
  pid: (value) => Number.isSafeInteger(value),
  startedAt: isInstant,
  joinedAt: isInstantOrAbsent,
  lastBeatAt: isInstantOrAbsent,
};

/** `undefined`: what was answered is no status of an agent. */
export const agentStatusIn = (answer: unknown): AgentStatus | undefined => {
  if (typeof answer !== 'object' || answer === null) return undefined;
  const values = new Map(Object.entries(answer));
  const isStatus = Object.entries(FIELDS).every(([name, isValid]) => isValid(values.get(name)));
  return isStatus ? (answer as AgentStatus) : undefined;
};

const seconds = (from: number, now: number): string =>
  `${Math.max(0, Math.round((now - from) / 1000))} s ago`;

/** For people. */
export const statusText = (status: AgentStatus, now: number): string => {
  const { nodeName, server, version, pid, startedAt, joinedAt, lastBeatAt } = status;
  const lines = [
    ['node', nodeName],
    ['server', server],
    ['version', version],
    ['process', `${pid}, started ${new Date(startedAt).toISOString()}`],
    ['joined', joinedAt === undefined ? 'not yet; see "rollcall agent logs"' : 'yes'],
    ['last beat', lastBeatAt === undefined ? 'none since its start' : seconds(lastBeatAt, now)],
  ];
  return lines.map(([name = '', value]) => `${`${name}:`.padEnd(12)}${printable(value ?? '')}`).join('\n');
};
