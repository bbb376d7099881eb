/** Lines that leave a container only its volumes to write to. */
import type { Tools } from './enter-script.ts';
import { quoted } from './shell-text.ts';

/** Programs expect to write there whatever the root is; a container runtime mounts them anew. */
const KEPT = ['/proc', '/sys', '/dev'];

/** What stays as it is: `kept`, and all that is mounted below. */
const pattern = (paths: readonly string[]): string =>
  paths.flatMap((path) => [quoted(path), `${quoted(path)}/*`]).join('|');

/** A folder becomes a mount of its own, so that it can be made read-only. Before its volumes are mounted. */
export const rootMountLines = (root: string | undefined, { mount }: Tools): readonly string[] =>
  root === undefined ? [] : [`${quoted(mount)} --rbind ${quoted(root)} ${quoted(root)} || exit 125`];

/**
 * Makes every mount of the root read-only, except those at or below `targets`. The table of mounts writes a space as `\040`. A mount that
 * another one hides cannot be reached.
 */
export const readOnlyLines = (
  root: string | undefined,
  targets: readonly string[],
  { mount }: Tools,
): readonly string[] => {
  const base = root ?? '';
  const kept = pattern([...KEPT.map((path) => `${base}${path}`), ...targets]);
  const inside = root === undefined ? '/*' : `${quoted(root)}|${quoted(root)}/*`;
  return [
    'done=',
    'while read -r id parent device part point rest; do',
    `  case "$point" in *\\\\*) point=$(printf '%b' "$(printf '%s' "$point" | sed 's/\\\\/\\\\0/g')");; esac`,
    `  case "$point" in ${kept}) continue;; ${inside}) ;; *) continue;; esac`,
    '  [ -e "$point" ] || continue',
    `  ${quoted(mount)} -o remount,bind,ro "$point" || exit 125`,
    `  [ "$point" = ${quoted(root ?? '/')} ] && done=1`,
    'done < /proc/self/mountinfo',
    `[ -n "$done" ] || { echo 'the root is no mount, so that it cannot be made read-only' >&2; exit 125; }`,
  ];
};
