import type { Deployment } from '../localstack/deploy.ts';
import type { Environment } from '../localstack/localstack.ts';

/** The times of one run of the suite, in ms; `context` deploys them. */
export interface Profile {
  readonly name: 'fast' | 'real';
  readonly stackName: string;
  readonly periodMs: number;
  readonly graceMs: number;
  readonly beatMs: number;
  /** Least time between two NoExecute taints in a zone. */
  readonly taintGapMs: number;
  /** Divides the toleration seconds of the pods. */
  readonly divisor: number;
  readonly context: Readonly<Record<string, string>>;
}

/**
 * `buffered`, because LocalStack delivers a streamed answer only when it has ended. Most tests bind their pods themselves; those
 * of the scheduler name it.
 */
const COMMON = {
  removalPolicy: 'destroy',
  apiserverInvokeMode: 'buffered',
  schedulerName: 'rollcall',
  clusterCidr: '10.244.0.0/16',
  cloudProvider: 'ec2',
  volumeAttacher: 'ebs',
};

/** All of Kubernetes' times divided by five. */
export const FAST: Profile = {
  name: 'fast',
  stackName: 'Rollcall',
  periodMs: 1_000,
  graceMs: 8_000,
  beatMs: 2_000,
  taintGapMs: 2_000,
  divisor: 5,
  context: {
    ...COMMON,
    nodeMonitorPeriod: '1s',
    nodeMonitorGracePeriod: '8s',
    nodeStartupGracePeriod: '12s',
    nodeEvictionRate: '0.5',
    secondaryNodeEvictionRate: '0.05',
  },
};

/** Kubernetes' own times. */
export const REAL: Profile = {
  name: 'real',
  stackName: 'Rollcall',
  periodMs: 5_000,
  graceMs: 40_000,
  beatMs: 10_000,
  taintGapMs: 10_000,
  divisor: 1,
  context: COMMON,
};

/** The files of the suite that need no workloads, no scheduler, no volumes and no cloud. */
export const LIFECYCLE_FILES: readonly string[] = [
  'nodes/lifecycle.int.test.ts',
  'nodes/lost-zone.int.test.ts',
  'nodes/relay.int.test.ts',
  'stack/operator.int.test.ts',
];

/** The same times, with the controllers of nodes and their pods only. */
export const lifecycleOf = (profile: Profile): Profile => {
  const { cloudProvider: _provider, volumeAttacher: _attacher, ...context } = profile.context;
  return { ...profile, context: { ...context, profile: 'lifecycle' } };
};

/** How the stack of a profile is deployed; `context` adds to the profile's own. */
export const deploymentOf = (
  profile: Profile,
  env: Environment,
  folder: string,
  context: Readonly<Record<string, string>> = {},
): Deployment => ({
  app: 'node cdk/app.ts',
  stackNames: [profile.stackName],
  context: { ...profile.context, ...context },
  env,
  outputsFile: `${folder}/outputs.json`,
});
