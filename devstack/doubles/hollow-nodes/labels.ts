/** Label of a Node whose instance runs; KWOK plays the kubelet of exactly these. */
export const KUBELET_LABEL = 'devstack.millwright.dev/kubelet';
export const KUBELET_RUNNING = 'running';

/** Label with the id of the instance that a hollow Node stands for. */
export const INSTANCE_LABEL = 'devstack.millwright.dev/instance';
