/** Series about what is stored: commits, what waits to be routed or handled, and room on the disk. */
import { statfsSync } from 'node:fs';
import { CONTROLLER_QUEUES } from '../../lambdas/controllers.ts';
import type { StateFigures } from '../../shared/adapters/sqlite/file/state-figures.ts';
import type { Commit, CommitOutcome } from '../../shared/ports/store/commit.ts';
import type { Definition, MetricsRegistry } from '../../shared/serving/http/prometheus.ts';

const COMMITS = 'rollcall_commits_total';
const COMMIT_SECONDS = 'rollcall_commit_duration_seconds';
const DUE = 'rollcall_queue_messages';
const OLDEST = 'rollcall_queue_oldest_message_seconds';
const UNROUTED = 'rollcall_changes_waiting';
const BYTES = 'rollcall_database_bytes';
const FREE = 'rollcall_disk_free_bytes';

export const STORE_SERIES: Readonly<Record<string, Definition>> = {
  [COMMITS]: { kind: 'counter', help: 'Commits of objects by their outcome.', labels: ['outcome'] },
  [COMMIT_SECONDS]: {
    kind: 'histogram',
    help: 'Seconds of one write of a group of commits, with the sync of the disk.',
  },
  [DUE]: { kind: 'gauge', help: 'Messages that could be handled, by queue.', labels: ['queue'] },
  [OLDEST]: {
    kind: 'gauge',
    help: 'Seconds for which the oldest message of a queue could have been handled.',
    labels: ['queue'],
  },
  [UNROUTED]: { kind: 'gauge', help: 'Committed changes that are not routed yet.' },
  [BYTES]: {
    kind: 'gauge',
    help: 'Bytes of a database and its write-ahead log on the disk.',
    labels: ['database'],
  },
  [FREE]: { kind: 'gauge', help: 'Free bytes of the disk that holds the state.' },
};

type CommitTogether = (commits: readonly Commit[]) => readonly CommitOutcome[];

/** Counts commits and times their groups. A group that throws is tried again one by one, so it is not counted. */
export const countedCommits =
  (commitTogether: CommitTogether, metrics: MetricsRegistry, elapsed: () => number): CommitTogether =>
  (commits) => {
    const startedAt = elapsed();
    const outcomes = commitTogether(commits);
    metrics.observe(COMMIT_SECONDS, (elapsed() - startedAt) / 1000);
    for (const { outcome } of outcomes) metrics.add(COMMITS, { outcome });
    return outcomes;
  };

const recordQueues = (metrics: MetricsRegistry, { queues }: StateFigures): void => {
  const known = new Map(queues.map((figure) => [figure.queue, figure]));
  for (const queue of CONTROLLER_QUEUES) {
    const { due, oldestMs } = known.get(queue) ?? { due: 0, oldestMs: 0 };
    metrics.set(DUE, { queue }, due);
    metrics.set(OLDEST, { queue }, oldestMs / 1000);
  }
};

/** Records what waits, and how large the files in `folder` are. */
export const recordStore = (metrics: MetricsRegistry, figures: StateFigures, folder: string): void => {
  recordQueues(metrics, figures);
  metrics.set(UNROUTED, {}, figures.unroutedChanges);
  for (const [database, bytes] of Object.entries(figures.bytes)) metrics.set(BYTES, { database }, bytes);
  const { bavail, bsize } = statfsSync(folder);
  metrics.set(FREE, {}, bavail * bsize);
};
