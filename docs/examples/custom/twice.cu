// The same in CUDA C++, which NVRTC makes PTX of where it is installed.
extern "C" __global__ void twice(const float *x, float *y, float *z, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = 2 * x[i];
    z[i] = x[i] * x[i];
  }
}
