import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';
import { type GroupName, groupOf } from '../../lambdas/groups.ts';
import type { Configuration } from '../../shared/settings/aws/configuration.ts';
import { capacityText } from '../../shared/settings/aws/heartbeat-capacity.ts';
import { useCustomerManagedKey } from '../constructs/customer-managed-key.ts';
import type { KeptState } from '../constructs/kept-state.ts';
import { Monitoring } from '../constructs/monitoring.ts';
import { setPaused } from '../constructs/pause.ts';
import { runningGroups } from '../constructs/running-groups.ts';
import { SigningKey } from '../constructs/signing-key.ts';
import { StateTables } from '../constructs/state-tables.ts';
import { deadLetterQueue } from '../constructs/work-queue.ts';
import { Apiserver } from '../functions/apiserver.ts';
import { ChangeRouter } from '../functions/change-router.ts';
import { EventSender } from '../functions/event-sender.ts';
import { Heartbeat } from '../functions/heartbeat.ts';
import { ControllerGroup } from '../groups/controller-group.ts';

/** The id of the construct of a group: `node-monitor` is `NodeMonitor`. */
const idOf = (group: GroupName): string =>
  group.replaceAll(/(^|-)([a-z])/g, (_match, _dash, letter: string) => letter.toUpperCase());

export interface RollcallStackProps extends StackProps {
  readonly configuration: Configuration;
  /** The tables and the key of an earlier stack with this name, to be reused. */
  readonly kept: KeptState | undefined;
}

/** What the outputs describe. */
interface Described {
  readonly apiserver: Apiserver;
  readonly heartbeat: Heartbeat;
  readonly signingKey: SigningKey['secret'];
  readonly clusterId: string;
  readonly events: EventBus;
}

/** One cluster: its tables, its signing key and its functions. */
export class RollcallStack extends Stack {
  constructor(scope: Construct, id: string, { configuration, kept, ...props }: RollcallStackProps) {
    super(scope, id, { description: 'Rollcall: the Kubernetes node lifecycle, serverless', ...props });
    useCustomerManagedKey(this, configuration.kmsKeyArn);
    const tables = new StateTables(this, 'State', { ...configuration, kept });
    const signingKey = new SigningKey(this, 'SigningKey', { ...configuration, kept }).secret;
    const events = new EventBus(this, 'Events', { description: 'Lifecycle events of nodes and pods' });
    const groups = runningGroups(configuration);
    const hasControllers = groups.size > 0;
    const deadLetters = deadLetterQueue(this);
    const monitoring = new Monitoring(this, 'Monitoring', { ...configuration, deadLetters, hasControllers });
    const common = { configuration, tables, monitoring, deadLetters };
    const hasSinks = hasControllers && configuration.eventSinks.length > 0;
    const eventSender = hasSinks ? new EventSender(this, 'EventSender', common) : undefined;

    const apiserver = new Apiserver(this, 'Apiserver', { ...common, signingKey, groups });
    const heartbeat = new Heartbeat(this, 'Heartbeat', { ...common, apiUrl: apiserver.url.url });
    const given = { ...common, events, eventSender };
    const added = [...groups].map(
      ([group, controllers]) => new ControllerGroup(this, idOf(group), { ...given, group, controllers }),
    );
    const queues = added.map(({ queue }) => queue);
    for (const group of added) group.addFunction(queues);
    this.#letApiComeFirst(apiserver);
    if (hasControllers) this.#outputOfRouter(new ChangeRouter(this, 'ChangeRouter', { ...given, queues }));
    const { clusterId } = configuration;
    this.#outputs({ apiserver, heartbeat, signingKey, clusterId, events });
    this.#outputsOfState(configuration);
    setPaused(this, configuration.paused);
  }

  /** What `rollcall aws` has to know. */
  #outputsOfState({ stateGeneration, paused, heartbeatCapacity }: Configuration): void {
    this.#output(
      'StateGeneration',
      String(stateGeneration),
      'Generation of the tables: each restore makes the next',
    );
    if (heartbeatCapacity)
      this.#output(
        'HeartbeatCapacity',
        capacityText(heartbeatCapacity),
        'The fleet for whose beats the table of heartbeats has capacity',
      );
    if (paused)
      this.#output('Paused', 'true', 'No function is started until a deploy without the setting paused');
  }

  #outputOfRouter({ functionName }: ChangeRouter): void {
    this.#output('RouterName', functionName, 'Function that rollcall aws resync invokes');
  }

  /** The first sweep of claims must not end before every API keeps claims, or a pod that an old one binds meanwhile would not be counted. */
  #letApiComeFirst(apiserver: Apiserver): void {
    this.node.tryFindChild(idOf(groupOf('capacity-release')))?.node.addDependency(apiserver);
  }

  #outputs({ apiserver, heartbeat, signingKey, clusterId, events }: Described): void {
    this.#output(
      'ApiUrl',
      apiserver.url.url,
      'Base URL of the Kubernetes API; heartbeats are answered here too',
    );
    this.#output('HeartbeatUrl', heartbeat.url.url, 'Base URL for lease renewals and heartbeats');
    this.#output(
      'SigningKeySecretArn',
      signingKey.secretArn,
      'Secret with the signing keys: anyone who can read it can create tokens',
    );
    this.#output(
      'TokenCommand',
      `npx rollcall token --stack ${this.stackName} --admin`,
      'Prints a token for an administrator',
    );
    this.#output('TokenIssuer', clusterId, 'Id of the cluster: the issuer of its tokens');
    this.#output(
      'LifecycleEventBusName',
      events.eventBusName,
      'Lifecycle events, with the source "rollcall"',
    );
  }

  #output(name: string, value: string, description: string): void {
    new CfnOutput(this, name, { value, description });
  }
}
