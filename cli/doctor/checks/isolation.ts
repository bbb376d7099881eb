/** Whether a machine isolates containers, and what installs that. The lines are those of docs/agent.md. Source: os-release(5). */
import { printable } from '../../../shared/kube/text/printable.ts';
import type { MachineFacts } from '../facts/facts.ts';
import { type Verdict, verdictsOf } from '../facts/verdict.ts';

/** Names of distributions, and the beginning of their line. A distribution that is not here names one of these as like it. */
const INSTALLERS: readonly (readonly [RegExp, string])[] = [
  [/^(debian|ubuntu)$/, 'apt-get install'],
  [/^(fedora|rhel|centos)$/, 'dnf install'],
  [/^alpine$/, 'apk add'],
  [/^(suse|opensuse)/, 'zypper install'],
  [/^arch$/, 'pacman -S'],
];

/** These have `crun` alone from this release on. */
const WITHOUT_RUNC = { name: /^(rhel|centos)$/, from: 10 };

/** A value of the file, without its quotes; empty if it has none. */
const valueIn = (osRelease: string, name: string): string =>
  new RegExp(`^${name}=["']?([^"'\n]*)`, 'm').exec(osRelease)?.[1] ?? '';

/** `undefined`: of a distribution that this program does not know. */
const isolationLine = (osRelease: string): string | undefined => {
  const names = ['ID', 'ID_LIKE'].flatMap((name) => valueIn(osRelease, name).split(' '));
  const [, begin] = INSTALLERS.find(([known]) => names.some((name) => known.test(name))) ?? [];
  const { name: byName, from } = WITHOUT_RUNC;
  const isLater = Number.parseInt(valueIn(osRelease, 'VERSION_ID'), 10) >= from;
  const runtime = isLater && names.some((name) => byName.test(name)) ? 'crun' : 'runc';
  return begin && `${begin} ${runtime} conmon`;
};

const CRI = '--container-runtime-endpoint unix:///run/containerd/containerd.sock';

/** What an operator can do about a machine that isolates no containers. */
const waysOut = ({ hasRuntime, osRelease, containerd }: MachineFacts): string => {
  const install = isolationLine(osRelease) ?? 'install the packages runc and conmon';
  const ways = [
    hasRuntime ? 'mend what these words say' : install,
    ...(containerd === 'answers' ? [`give the agent ${CRI}`] : []),
    'give the agent --unisolated, with which nothing isolates pods',
  ];
  return ways.join('; or ');
};

/** The words of a failure are those of the program that failed. */
const notIsolated = (machine: MachineFacts, faults: readonly string[]): Verdict => {
  const words = `no OCI runtime isolates containers here: ${printable(faults.join('; '))}`;
  return verdictsOf('isolation').fail(`${words}: the agent does not start`, waysOut(machine));
};

/** What the trial of a real container found. */
export const isolation = (machine: MachineFacts): Verdict => {
  const check = verdictsOf('isolation');
  const { isolation: trial, isRoot } = machine;
  if ('faults' in trial) return notIsolated(machine, trial.faults);
  const { name, version, conmonVersion, hasOverlays, unseen } = trial.runtime;
  const words = `${name} ${version} with conmon ${conmonVersion}${isRoot ? '' : ', in a namespace of users'}`;
  if (!hasOverlays)
    return check.warn(
      `${words}, without overlays: containers need readOnlyRootFilesystem: true`,
      'put the root folder of the agent on a file system such as ext4',
    );
  return check.ok(
    unseen.length === 0 ? words : `${words}; the image "host" does not show ${unseen.join(', ')}`,
  );
};
