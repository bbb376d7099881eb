import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';
import type { Configuration } from '../../shared/config/configuration.ts';
import { Apiserver } from '../constructs/apiserver.ts';
import { AttachDetach } from '../constructs/attach-detach.ts';
import { CapacityRelease } from '../constructs/capacity-release.ts';
import { ChangeRouter } from '../constructs/change-router.ts';
import { CloudNode } from '../constructs/cloud-node.ts';
import { type ControllerConstructs, routedQueues } from '../constructs/controller-constructs.ts';
import { useCustomerManagedKey } from '../constructs/customer-managed-key.ts';
import { DaemonSet } from '../constructs/daemon-set.ts';
import { Deployment } from '../constructs/deployment.ts';
import { Disruption } from '../constructs/disruption.ts';
import { Drain } from '../constructs/drain.ts';
import { EventSender } from '../constructs/event-sender.ts';
import { GarbageCollector } from '../constructs/garbage-collector.ts';
import { Heartbeat } from '../constructs/heartbeat.ts';
import { Job } from '../constructs/job.ts';
import { Monitoring } from '../constructs/monitoring.ts';
import { Namespace } from '../constructs/namespace.ts';
import { NodeEviction } from '../constructs/node-eviction.ts';
import { NodeIpam } from '../constructs/node-ipam.ts';
import { NodeMonitor } from '../constructs/node-monitor.ts';
import { PodGc } from '../constructs/pod-gc.ts';
import { PodReadiness } from '../constructs/pod-readiness.ts';
import { ReplicaSet } from '../constructs/replica-set.ts';
import { Scheduler } from '../constructs/scheduler.ts';
import { SigningKey } from '../constructs/signing-key.ts';
import { StateTables } from '../constructs/state-tables.ts';
import { StatefulSet } from '../constructs/stateful-set.ts';
import { TaintEviction } from '../constructs/taint-eviction.ts';
import { VolumeAttacher } from '../constructs/volume-attacher.ts';
import { VolumeBinder } from '../constructs/volume-binder.ts';
import type { KeptState } from '../kept-state.ts';

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
    const monitoring = new Monitoring(this, 'Monitoring', configuration);
    const common = { configuration, tables, monitoring };
    const hasSinks = configuration.eventSinks.length > 0;
    const eventSender = hasSinks ? new EventSender(this, 'EventSender', common) : undefined;
    const given = { ...common, events, eventSender };

    const apiserver = new Apiserver(this, 'Apiserver', { ...given, signingKey });
    const heartbeat = new Heartbeat(this, 'Heartbeat', { ...given, signingKey });
    const nodeEviction = new NodeEviction(this, 'NodeEviction', given);
    const scheduler = new Scheduler(this, 'Scheduler', given);
    const controllers: ControllerConstructs = {
      'garbage-collector': new GarbageCollector(this, 'GarbageCollector', given),
      namespace: new Namespace(this, 'Namespace', given),
      'capacity-release': new CapacityRelease(this, 'CapacityRelease', {
        ...{ ...given, apiserver },
        scheduler: scheduler.queue,
      }),
      'cloud-node': new CloudNode(this, 'CloudNode', given),
      disruption: new Disruption(this, 'Disruption', given),
      drain: new Drain(this, 'Drain', given),
      'node-eviction': nodeEviction,
      'node-ipam': new NodeIpam(this, 'NodeIpam', given),
      'node-monitor': new NodeMonitor(this, 'NodeMonitor', { ...given, evictionWakeups: nodeEviction.queue }),
      'pod-gc': new PodGc(this, 'PodGc', given),
      'pod-readiness': new PodReadiness(this, 'PodReadiness', given),
      scheduler,
      'daemon-set': new DaemonSet(this, 'DaemonSet', given),
      'replica-set': new ReplicaSet(this, 'ReplicaSet', given),
      'stateful-set': new StatefulSet(this, 'StatefulSet', given),
      deployment: new Deployment(this, 'Deployment', given),
      job: new Job(this, 'Job', given),
      'taint-eviction': new TaintEviction(this, 'TaintEviction', given),
      'volume-binder': new VolumeBinder(this, 'VolumeBinder', given),
      'attach-detach': new AttachDetach(this, 'AttachDetach', given),
      'volume-attacher': new VolumeAttacher(this, 'VolumeAttacher', given),
    };
    new ChangeRouter(this, 'ChangeRouter', { ...given, queues: routedQueues(controllers) });
    const { clusterId } = configuration;
    this.#outputs({ apiserver, heartbeat, signingKey, clusterId, events });
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
