/** Label of a Node of the embedded stack. While it is `running`, KWOK plays its kubelet. */
export const KUBELET_LABEL = 'devstack.millwright.dev/kubelet';
export const KUBELET_RUNNING = 'running';
/** Somebody stopped its kubelet, and nothing but a person, or a reboot, starts it again. */
export const KUBELET_STOPPED = 'stopped';

/** Label with the id of the instance that a hollow Node stands for. */
export const INSTANCE_LABEL = 'devstack.millwright.dev/instance';
