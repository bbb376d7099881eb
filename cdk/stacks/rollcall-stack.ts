import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';
import type { Configuration } from '../../shared/settings/aws/configuration.ts';
import { type ControllerConstructs, routedQueues } from '../constructs/controller-constructs.ts';
import { useCustomerManagedKey } from '../constructs/customer-managed-key.ts';
import type { KeptState } from '../constructs/kept-state.ts';
import { Monitoring } from '../constructs/monitoring.ts';
import { pause } from '../constructs/pause.ts';
import { SigningKey } from '../constructs/signing-key.ts';
import { StateTables } from '../constructs/state-tables.ts';
import { AttachDetach } from '../controllers/attach-detach.ts';
import { Disruption } from '../controllers/disruption.ts';
import { Drain } from '../controllers/drain.ts';
import { GarbageCollector } from '../controllers/garbage-collector.ts';
import { Namespace } from '../controllers/namespace.ts';
import { NodeEviction } from '../controllers/node-eviction.ts';
import { NodeIpam } from '../controllers/node-ipam.ts';
import { PodGc } from '../controllers/pod-gc.ts';
import { PodReadiness } from '../controllers/pod-readiness.ts';
import { Scheduler } from '../controllers/scheduler.ts';
import { TaintEviction } from '../controllers/taint-eviction.ts';
import { VolumeBinder } from '../controllers/volume-binder.ts';
import { DaemonSet } from '../controllers/workloads/daemon-set.ts';
import { Deployment } from '../controllers/workloads/deployment.ts';
import { Job } from '../controllers/workloads/job.ts';
import { ReplicaSet } from '../controllers/workloads/replica-set.ts';
import { StatefulSet } from '../controllers/workloads/stateful-set.ts';
import { Apiserver } from '../functions/apiserver.ts';
import { CapacityRelease } from '../functions/capacity-release.ts';
import { ChangeRouter } from '../functions/change-router.ts';
import { CloudNode } from '../functions/cloud-node.ts';
import { EventSender } from '../functions/event-sender.ts';
import { Heartbeat } from '../functions/heartbeat.ts';
import { NodeMonitor } from '../functions/node-monitor.ts';
import { VolumeAttacher } from '../functions/volume-attacher.ts';

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
        ...given,
        apiserver,
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
    this.#outputsOfState(configuration);
    if (configuration.paused) pause(this);
  }

  /** What `rollcall aws` has to know. */
  #outputsOfState({ stateGeneration, paused }: Configuration): void {
    this.#output(
      'StateGeneration',
      String(stateGeneration),
      'Generation of the tables: each restore makes the next',
    );
    if (paused)
      this.#output('Paused', 'true', 'No function is started until a deploy without the setting paused');
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
