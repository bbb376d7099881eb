import { optional } from '../../../shared/kube/values/optional.ts';

/** Where logind of this machine is, and what its lock is called. */
export interface LogindSettings {
  /** The folder of logind's further configuration files. */
  readonly configFolder: string;
  /** The address of the bus, for example `unix:path=/run/dbus/system_bus_socket`. Absent: the system's. */
  readonly busAddress?: string;
  /** Who holds the lock, as `systemd-inhibit --list` shows. */
  readonly who: string;
}

export const LOGIND_SETTINGS: LogindSettings = {
  configFolder: '/etc/systemd/logind.conf.d',
  who: 'rollcall-agent',
};

/** With a lock that tells which agent of the machine holds it. */
export const logindSettingsOf = (nodeName: string): LogindSettings => ({
  ...LOGIND_SETTINGS,
  who: `${LOGIND_SETTINGS.who} (${nodeName})`,
});

/** The environment of the programs of systemd: messages are readable, and say that the bus is listened to. */
export const environmentOf = ({ busAddress }: LogindSettings): NodeJS.ProcessEnv => ({
  ...process.env,
  LC_ALL: 'C',
  SYSTEMD_LOG_LEVEL: 'info',
  SYSTEMD_LOG_TARGET: 'console',
  ...optional('DBUS_SYSTEM_BUS_ADDRESS', busAddress),
});
