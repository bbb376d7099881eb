/** The calls of the two services of the CRI. Source of names and numbers: Container Runtime Interface `runtime.v1`. */
import { type Description, message, text } from '../wire/describe.ts';
import * as containers from './containers.ts';
import * as images from './images.ts';
import * as runtime from './runtime.ts';
import * as sandboxes from './sandboxes.ts';
import * as stats from './stats.ts';

export interface Call<Request, Response> {
  readonly request: Request;
  readonly response: Response;
}

const call = <A extends Description, B extends Description>(request: A, response: B): Call<A, B> => ({
  request,
  response,
});

/** Calls that are answered once, by their names with a small first letter. */
export const RUNTIME_SERVICE = {
  version: call(runtime.VersionRequest, runtime.VersionResponse),
  status: call(runtime.StatusRequest, runtime.StatusResponse),
  runtimeConfig: call(runtime.Nothing, runtime.RuntimeConfigResponse),
  updateRuntimeConfig: call(runtime.UpdateRuntimeConfigRequest, runtime.Nothing),
  runPodSandbox: call(sandboxes.RunPodSandboxRequest, sandboxes.SandboxId),
  stopPodSandbox: call(sandboxes.SandboxId, runtime.Nothing),
  removePodSandbox: call(sandboxes.SandboxId, runtime.Nothing),
  podSandboxStatus: call(sandboxes.PodSandboxStatusRequest, sandboxes.PodSandboxStatusResponse),
  listPodSandbox: call(sandboxes.ListPodSandboxRequest, sandboxes.ListPodSandboxResponse),
  createContainer: call(
    {
      podSandboxId: text(1),
      config: message(2, containers.ContainerConfig),
      sandboxConfig: message(3, sandboxes.PodSandboxConfig),
    },
    containers.ContainerId,
  ),
  startContainer: call(containers.ContainerId, runtime.Nothing),
  stopContainer: call(containers.StopContainerRequest, runtime.Nothing),
  removeContainer: call(containers.ContainerId, runtime.Nothing),
  listContainers: call(containers.ListContainersRequest, containers.ListContainersResponse),
  containerStatus: call(containers.ContainerStatusRequest, containers.ContainerStatusResponse),
  updateContainerResources: call(containers.UpdateContainerResourcesRequest, runtime.Nothing),
  reopenContainerLog: call(containers.ContainerId, runtime.Nothing),
  execSync: call(containers.ExecSyncRequest, containers.ExecSyncResponse),
  exec: call(containers.ExecRequest, containers.StreamUrl),
  attach: call(containers.AttachRequest, containers.StreamUrl),
  portForward: call(sandboxes.PortForwardRequest, containers.StreamUrl),
  containerStats: call(containers.ContainerId, stats.ContainerStatsResponse),
  listContainerStats: call(stats.ListContainerStatsRequest, stats.ListContainerStatsResponse),
};

export const IMAGE_SERVICE = {
  listImages: call(images.ListImagesRequest, images.ListImagesResponse),
  imageStatus: call(images.ImageStatusRequest, images.ImageStatusResponse),
  pullImage: call(images.PullImageRequest, images.PullImageResponse),
  removeImage: call(images.RemoveImageRequest, runtime.Nothing),
  imageFsInfo: call(runtime.Nothing, images.ImageFsInfoResponse),
};

/** A call that is answered again and again. */
export const CONTAINER_EVENTS = {
  path: '/runtime.v1.RuntimeService/GetContainerEvents',
  ...call(runtime.Nothing, stats.ContainerEvent),
};
