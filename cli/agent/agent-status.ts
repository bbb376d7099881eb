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
  return lines.map(([name = '', value]) => `${`${name}:`.padEnd(12)}${value}`).join('\n');
};
