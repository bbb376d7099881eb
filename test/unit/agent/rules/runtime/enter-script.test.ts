import { describe, expect, it } from 'vitest';
import { becomeWords, type ExecPlan, execScript } from '../../../../../agent/rules/runtime/enter-script.ts';

const PLAN: ExecPlan = {
  workingDirectory: '/work',
  environment: { PATH: '/bin', A: 'b' },
  pid: 77,
  hasNamespaces: true,
  groupFiles: ['/groups/a/cgroup.procs'],
  oomScoreAdjust: 500,
  tools: {
    sh: 'sh',
    setsid: 'setsid',
    unshare: 'unshare',
    nsenter: 'nsenter',
    setpriv: 'setpriv',
    mount: 'mount',
  },
};
const USER = { uid: 5, gid: 6, groups: [7, 8] };
const lastLine = (plan: Partial<ExecPlan>): string =>
  (
    execScript({ ...PLAN, ...plan }, ['ls', '-l'])
      .trimEnd()
      .split('\n')
      .at(-1) ?? ''
  ).replaceAll("'", '');

describe('the words that become a program', () => {
  it.each([
    ['on the machine itself', {}, 'unshare --wd /work -- ls -l'],
    ['in a folder', { root: '/image' }, 'unshare --root /image --wd /work -- ls -l'],
    [
      'as a user with groups',
      { user: USER },
      'setpriv --regid 6 --groups 7,8 -- unshare --wd /work --setuid 5 -- ls -l',
    ],
    [
      'as a user without groups',
      { user: { ...USER, groups: [] } },
      'setpriv --regid 6 --clear-groups -- unshare --wd /work --setuid 5 -- ls -l',
    ],
    [
      'with variables that a shell cannot set, by a program of the user',
      { user: USER, environment: { LD_PRELOAD: '/x.so', A: 'b' } },
      'setpriv --regid 6 --groups 7,8 -- unshare --wd /work --setuid 5 -- env -- LD_PRELOAD=/x.so ls -l',
    ],
    [
      'without new privileges: J-150',
      { hasNoNewPrivileges: true },
      'setpriv --no-new-privs -- unshare --wd /work -- ls -l',
    ],
    [
      'as a user with capabilities of its own, which are set last, in its root: J-150',
      {
        user: USER,
        root: '/image',
        hasNoNewPrivileges: true,
        environment: { LD_X: '1' },
        capabilities: { setpriv: '/bin/setpriv', boundingSet: '-all,+kill' },
      },
      'setpriv --no-new-privs --regid 6 --groups 7,8 -- unshare --root /image --wd /work -- /bin/setpriv --reuid 5 --bounding-set -all,+kill --inh-caps -all -- env -- LD_X=1 ls -l',
    ],
  ])('%s', (_, more, expected) => {
    expect(becomeWords({ ...PLAN, ...more }, ['ls', '-l'], PLAN.tools).join(' ')).toBe(expected);
  });
});

describe('the script of a command in a container', () => {
  it('enters its groups before all else, and has its environment', () => {
    expect(execScript(PLAN, ['ls'])).toBe(
      [
        'umask 022',
        "echo $$ > '/groups/a/cgroup.procs' || exit 125",
        '{ echo 500 > /proc/$$/oom_score_adj; } 2>/dev/null',
        "export PATH='/bin'",
        "export A='b'",
        "exec 'nsenter' '--target' '77' '--mount' '--uts' '--root' '--wd=/proc/77/root/work' '--' 'ls' </dev/null",
        '',
      ].join('\n'),
    );
  });

  it.each([
    ['with a root but no namespaces', { root: '/image', hasNamespaces: false }, 'nsenter --target 77 --root'],
    ['with neither', { hasNamespaces: false }, 'unshare --wd /work -- ls -l'],
  ])('enters a container %s', (_, more, beginning) => {
    expect(lastLine(more)).toContain(`exec ${beginning}`);
  });
});
