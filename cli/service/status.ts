/** `rollcall serve status`: how systemd sees a service, in words. */
import { CommandError } from '../shell/command.ts';
import { orSudo } from './as-root.ts';
import type { ServiceMachine } from './machine.ts';
import { type ServiceCommand, unitOf } from './service-command.ts';

const NAMES = [
  ...['LoadState', 'ActiveState', 'SubState', 'Result', 'MainPID', 'NRestarts'],
  ...['ActiveEnterTimestamp', 'ExecMainStatus', 'UnitFileState'],
];

/** What systemd says of a service. `isWell`: it runs. */
export const serviceStatus = (
  { name }: Pick<ServiceCommand, 'name'>,
  properties: Readonly<Record<string, string>>,
): { readonly isWell: boolean; readonly text: string } => {
  const of = (property: string): string => properties[property] ?? '';
  const unit = unitOf({ name });
  const isWell = of('ActiveState') === 'active';
  const lines = [
    `${unit} is ${of('ActiveState')} (${of('SubState')})${isWell ? ` since ${of('ActiveEnterTimestamp')}` : ''}`,
    ...(isWell ? [`process ${of('MainPID')}, started again ${of('NRestarts')} times by systemd`] : []),
    ...(isWell || ['success', ''].includes(of('Result'))
      ? []
      : [
          `it ended with ${of('Result')}, exit code ${of('ExecMainStatus')}: "rollcall ${name} logs" says why`,
        ]),
    ...(of('UnitFileState') === 'enabled'
      ? []
      : [`it is not started with the machine: systemctl enable ${unit}`]),
  ];
  return { isWell, text: lines.join('\n') };
};

/** The status as text. Throws a `CommandError` if the service does not run, with the same text. */
export const readStatus = async (command: ServiceCommand, { systemd }: ServiceMachine): Promise<string> => {
  const properties = await orSudo('systemd does not answer', systemd.properties(NAMES));
  if (properties['LoadState'] !== 'loaded')
    throw new CommandError(
      `there is no ${unitOf(command)} on this machine: "rollcall ${command.name} install" makes one`,
    );
  const { isWell, text } = serviceStatus(command, properties);
  if (!isWell) throw new CommandError(text);
  return text;
};
