/** cluster-autoscaler reads by these of what a Node of a group will be like before there is one. Hard-coded there, so not of our group. */
export const CAPACITY_PREFIX = 'capacity.cluster-autoscaler.kubernetes.io/';
