/** The unit of systemd that runs a host, a proxy or a relay. Source: systemd.exec(5). */
import { pathText, serviceUnit, wordAfter } from '../../agent/rules/machine/unit-file.ts';
import { environmentFileOf, type ServiceCommand } from './service-command.ts';

/** Where systemd makes folders of services, with their owner and mode. */
const STATE = '/var/lib/';

/** Below these a service sees nothing of the machine, or nothing at all. */
const HIDDEN = ['/home', '/root', '/run/user', '/tmp', '/var/tmp'];

/** The folder by which a service does not see `path`; `undefined`: it sees it. */
export const hiddenBy = (path: string): string | undefined =>
  HIDDEN.find((folder) => path === folder || path.startsWith(`${folder}/`));

/** Whether systemd makes the folder. */
export const isStateFolder = (folder: string): boolean => folder.startsWith(STATE);

const folderLines = (folder: string): readonly string[] => [
  `WorkingDirectory=${pathText(folder)}`,
  ...(isStateFolder(folder)
    ? [`StateDirectory=${pathText(folder.slice(STATE.length))}`, 'StateDirectoryMode=0700']
    : [`ReadWritePaths=${pathText(folder)}`]),
];

/** Ports that not everybody may listen on. */
const PRIVILEGED = 1024;

const capabilityLines = (port: number): readonly string[] =>
  port > 0 && port < PRIVILEGED
    ? ['CapabilityBoundingSet=CAP_NET_BIND_SERVICE', 'AmbientCapabilities=CAP_NET_BIND_SERVICE']
    : ['CapabilityBoundingSet='];

/** It reads its program and what its options name, and writes its folder. V8 compiles while it runs, so MemoryDenyWriteExecute cannot be set. */
const HARDENING = [
  'UMask=0077',
  'ProtectSystem=strict',
  'ProtectHome=yes',
  'PrivateTmp=yes',
  'PrivateDevices=yes',
  'ProtectKernelTunables=yes',
  'ProtectKernelModules=yes',
  'ProtectControlGroups=yes',
  'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK',
  'RestrictSUIDSGID=yes',
  'LockPersonality=yes',
  'NoNewPrivileges=yes',
];

export interface CommandUnit {
  readonly command: Pick<ServiceCommand, 'name' | 'description'>;
  /** The program, and the words before the name of the command. */
  readonly program: readonly string[];
  /** The words behind it. */
  readonly words: readonly string[];
  readonly user: string;
  readonly folder: string;
  readonly port: number;
}

/** The text of the unit. */
export const commandUnit = ({ command, program, words, user, folder, port }: CommandUnit): string =>
  serviceUnit({
    description: command.description,
    command: [...program, command.name, '--folder', folder, ...words],
    environmentFile: environmentFileOf(command),
    restartSeconds: 1,
    hopeless: [2],
    further: [
      `User=${user}`,
      ...folderLines(folder),
      // Requests in flight have 5 s.
      'TimeoutStopSec=15',
      'LimitNOFILE=65536',
      ...capabilityLines(port),
      ...HARDENING,
    ],
  });

/** The folder of the service that a unit runs; `undefined`: it was written by hand. */
export const folderOfUnit = (unit: string): string | undefined => wordAfter(unit, '--folder');
