/** The dashboard's page beside the demonstration fleet. */
import type { Host } from '../../host/host.ts';
import type { HostLog } from '../../shared/serving/machine/host-log.ts';
import type { CommandContext } from '../shell/command.ts';

export interface DemonstrationPage {
  /** A link that is good once; after that, another one. `undefined` until the page can be opened. */
  link(): string | undefined;
  stop(): Promise<void>;
}

/** Starts it beside what runs already, which neither waits for it nor ends with it. */
export const startPage = ({ paths }: Host, context: CommandContext, hostLog: HostLog): DemonstrationPage => {
  const start = async () => {
    // A host without a demonstration does not load them.
    const [{ findApi }, { startDashboardOf }] = await Promise.all([
      import('../access/api-access.ts'),
      import('../cluster/cluster-dashboard.ts'),
    ]);
    const access = await findApi({ folder: paths.folder }, context);
    return startDashboardOf(access, { port: 0, hasBeats: true, hostLog, onLinkUsed: () => tell() });
  };
  let link: (() => string) | undefined;
  const tell = (): void => hostLog.info('page in a browser; the link is good once', { link: link?.() });
  const started = start().then(
    (dashboard) => {
      link = dashboard.link;
      tell();
      return dashboard;
    },
    (error: unknown) => {
      hostLog.warn('the page of this fleet cannot be shown', { error });
      return undefined;
    },
  );
  return { link: () => link?.(), stop: async () => (await started)?.stop() };
};
