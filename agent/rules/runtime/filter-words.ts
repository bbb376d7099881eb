/**
 * Words that enter a container with a filter of system calls. No program of util-linux 2.38 installs a filter, and what enters a container
 * needs calls that the filter refuses, so that one program does both: Perl, of which every Debian has the part that this takes.
 */
import { type Architecture, NUMBERS } from '../containers/system-calls.ts';

/** The filter, and what installs it. */
export interface CallFilter {
  /** Absolute path. */
  readonly perl: string;
  readonly architecture: Architecture;
  /** As `filterProgram` writes it. */
  readonly program: string;
}

/** Where the program goes. */
export interface FilteredEntry {
  /** The process whose root and namespaces are entered; absent: those of the shell. */
  readonly of?: { readonly pid: number; readonly hasNamespaces: boolean };
  /** Absolute path of the new root; absent: that of the shell, or of the one that is entered. */
  readonly root?: string;
  readonly workingDirectory: string;
  readonly uid?: number;
}

/** Perl says nothing about a locale that is not there. */
export const QUIET = 'PERL_BADLANG';

/** The filter comes before the user, because only root may install it; the folders are opened before the namespaces change. */
const SCRIPT = [
  'sub check { $_[1] or do { print STDERR "$_[0]: $!\\n"; exit 125 } }',
  'my ($filter, $seccomp, $setns, $setresuid, $pid, $namespaces, $root, $folder, $user, @command) = @ARGV;',
  `delete $ENV{${QUIET}};`,
  'if ($pid) {',
  '  my ($there, $here, @spaces);',
  '  check("root", opendir($there, "/proc/$pid/root"));',
  '  check($folder, opendir($here, "/proc/$pid/root$folder"));',
  '  for my $kind (split /,/, $namespaces) {',
  '    check($kind, open(my $space, "<", "/proc/$pid/ns/$kind"));',
  '    push @spaces, $space;',
  '  }',
  '  check("setns", syscall($setns + 0, fileno($_), 0) == 0) for @spaces;',
  '  check("root", chdir($there) && chroot("."));',
  '  check($folder, chdir($here));',
  '} else {',
  '  check($root, chroot($root)) if $root ne "";',
  '  check($folder, chdir($folder));',
  '}',
  'my $bytes = pack("H*", $filter);',
  'my $program = pack("S x6 P", length($bytes) / 8, $bytes);',
  'check("seccomp", syscall($seccomp + 0, 1, 0, $program) == 0);',
  'check("setresuid", syscall($setresuid + 0, $user + 0, $user + 0, $user + 0) == 0) if $user ne "";',
  'exec { $command[0] } @command;',
  'my $is_missing = $! == 2;',
  'print STDERR "failed to execute $command[0]: $!\\n";',
  'exit($is_missing ? 127 : 126);',
].join('\n');

/** The words before those of the program. */
export const filterWords = (
  { perl, architecture, program }: CallFilter,
  { of, root = '', workingDirectory, uid }: FilteredEntry,
): readonly string[] => {
  const { seccomp, setns, setresuid } = NUMBERS[architecture];
  return [
    perl,
    '-e',
    SCRIPT,
    '--',
    program,
    ...[seccomp, setns, setresuid].map(String),
    of === undefined ? '' : String(of.pid),
    of?.hasNamespaces ? 'mnt,uts' : '',
    root,
    workingDirectory,
    uid === undefined ? '' : String(uid),
  ];
};
