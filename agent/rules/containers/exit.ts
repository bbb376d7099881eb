/** How containers end. */

/** How the main process ended. */
export interface Exit {
  readonly code: number;
  readonly oomKills: number;
  /** Nobody saw the main process end, so the code is made up. */
  readonly isUnknown: boolean;
}

/** Exit code of a container whose end nobody saw. Source: containerd `unknownExitCode`. */
export const UNKNOWN_EXIT_CODE = 255;

/** How the API shows the end of a container. */
export interface ShownEnd {
  readonly exitCode: number;
  readonly reason: 'Completed' | 'Error' | 'OOMKilled' | 'StartError' | 'Unknown';
}

/** Source: containerd `toCRIContainerStatus`, `unknownExitCode`, `errorStartExitCode`. `hasRun`: the program was started. */
export const shownEnd = ({ code, oomKills, isUnknown }: Exit, hasRun: boolean): ShownEnd => {
  if (isUnknown) return { exitCode: UNKNOWN_EXIT_CODE, reason: 'Unknown' };
  if (!hasRun) return { exitCode: 128, reason: 'StartError' };
  if (code === 0) return { exitCode: 0, reason: 'Completed' };
  return { exitCode: code, reason: oomKills > 0 ? 'OOMKilled' : 'Error' };
};
