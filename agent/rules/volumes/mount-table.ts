/** What Linux' file /proc/self/mountinfo says. Source: proc_pid_mountinfo(5). */

const MOUNT_POINT = 4;

/** Spaces, tabs, line ends and backslashes stand as `\040` and the like. */
const unescaped = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_all, digits: string) =>
    String.fromCodePoint(Number.parseInt(digits, 8)),
  );

/** Mount points in or below the folder, those that were mounted last first. */
export const mountPointsBelow = (mountInfo: string, folder: string): readonly string[] =>
  mountInfo
    .split('\n')
    .map((line) => unescaped(line.split(' ')[MOUNT_POINT] ?? ''))
    .filter((point) => point === folder || point.startsWith(`${folder}/`))
    .toReversed();
