/** What real kubectls print, in sessions of a shell: `kubectl/sessions/<name>.txt`. */
import { describe, expect, it } from 'vitest';
import { startCluster } from './cluster.ts';
import { describeKubectl } from './kubectl/suite.ts';
import { findKubectls, type Kubectl, missingKubectls, OLDEST } from './kubectl/versions.ts';

/** Every version plays these. */
const SHORT = ['get', 'change'];
const FULL = [
  ...SHORT,
  'pods',
  'edit',
  'create',
  'claims',
  'apply',
  'watch',
  'ask',
  'describe',
  'drain',
  'server-drain',
  'maintenance',
  'daemonset',
  'rollout',
  'statefulset',
  'volumes',
  'cascade',
  'room',
  'policy',
  'hold',
];

/** Those that differ most: the oldest, the first modern one, the last that sends JSON, and the newest. */
const isPlayedInFull = ({ version }: Kubectl): boolean => ['1.20', '1.27', '1.31', '1.33'].includes(version);

const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const kubectls = findKubectls(process.env);
const missing = missingKubectls(kubectls);
if (missing.length > 0) process.stdout.write(`skipped: not on this machine: ${missing.join('; ')}\n`);

describe('the kubectls of this machine', () => {
  // A newer one is in no package that every machine can install.
  it.runIf(isComplete)('include the oldest version', () => {
    expect(kubectls.map(({ version }) => version)).toContain(OLDEST);
  });
});

describe.skipIf(kubectls.length === 0)('kubectl', () => {
  describeKubectl(kubectls, (kubectl) => (isPlayedInFull(kubectl) ? FULL : SHORT), startCluster);
});
