/* libmmk: kernels compiled from their text and run on this computer, from C and from whatever can
 * call C.
 *
 *   mmk_kernel *kernel;
 *   mmk_error *error = mmk_compile(text, "gemm.mmk", NULL, &kernel);
 *   mmk_tensor tensors[] = {{"a", a, MMK_F16, 2, {m, k}}, {"b", b, MMK_F16, 2, {k, n}}, ...};
 *   error = mmk_run(kernel, tensors, 4, NULL, 0, NULL);
 *   mmk_kernel_free(kernel);
 *
 * Errors are values: every call that can fail returns NULL on success, else an error that the
 * caller frees. The library neither prints nor exits, and no exception leaves it.
 *
 * Threads: a kernel may be run and queried by several threads at once. Kernels are
 * independent of each other. A process may fork while no call is going on in another thread; the
 * child may run the kernels that it has, compile others, and free both. */
#ifndef MMK_H
#define MMK_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) || !defined(__GNUC__)
#define MMK_API
#else
#define MMK_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0" */
MMK_API const char *mmk_version(void);

/*--- errors ---------------------------------------------------------------------------------*/

typedef struct mmk_error mmk_error;

typedef enum {
  MMK_MISTAKE = 2, /* of the caller: the program, the machine, the variant, the tensors */
  MMK_BUG = 3,     /* of mmk */
  MMK_NO_MEMORY = 4
} mmk_error_kind;

MMK_API mmk_error_kind mmk_error_kind_of(const mmk_error *error);
/* Messages about a program have a line and a caret, as those of the command. The text lives as long
 * as the error, and ends without a newline. */
MMK_API const char *mmk_error_message(const mmk_error *error);
/* NULL is fine. */
MMK_API void mmk_error_free(mmk_error *error);

/*--- compiling ------------------------------------------------------------------------------*/

typedef struct mmk_kernel mmk_kernel;

typedef struct {
  const char *name;
  int64_t extent;
} mmk_dimension;

typedef struct {
  const char *name;
  int64_t value;
} mmk_int;

/* Zero-initialise, then set what is wanted: a field that is NULL has its default. */
typedef struct {
  const char *kernel;  /* name of the kernel; needed when the text has several */
  const char *machine; /* "host" (default), another machine's name, or a path of a description */
  const char *variant; /* "tile.M=64,tile.N=64" or a printed variant name; the rest by default */
  /* Existing folder in which compiled objects and chosen variants are kept; none by default. */
  const char *cache_directory;
  /* The extents of all dimensions, or none. With them, what the schedule and `variant` leave open
   * is chosen for this shape on an AI core; other shapes run with the same variant. Without, and on
   * the host, open directives have the default of the machine. */
  const mmk_dimension *dimensions;
  size_t dimension_count;
  /* Values of int parameters in place of their defaults: another value is another kernel. */
  const mmk_int *ints;
  size_t int_count;
} mmk_compile_options;

/* Compiles a kernel for any shape. The text has at most 16 MiB. `name` is what messages call the
 * text; `options` may be NULL. */
MMK_API mmk_error *mmk_compile(const char *text, const char *name,
                               const mmk_compile_options *options, mmk_kernel **kernel);
/* The same from a file. */
MMK_API mmk_error *mmk_compile_file(const char *path, const mmk_compile_options *options,
                                    mmk_kernel **kernel);
/* NULL is fine. No run may be going on. */
MMK_API void mmk_kernel_free(mmk_kernel *kernel);

/* Texts live as long as the kernel. */
MMK_API const char *mmk_kernel_name(const mmk_kernel *kernel);
/* Printable name of the variant: every choice that was made. */
MMK_API const char *mmk_kernel_variant(const mmk_kernel *kernel);

/*--- parameters and results -----------------------------------------------------------------*/

typedef enum { MMK_F32, MMK_F16, MMK_BF16, MMK_I8, MMK_I32 } mmk_type;

#define MMK_MAX_RANK 8

/* A parameter or a result as the kernel declares it. */
typedef struct {
  const char *name;
  mmk_type type;
  int is_result;
  int rank;                             /* 0: a scalar */
  const char *dimensions[MMK_MAX_RANK]; /* "M", or "64" */
} mmk_argument;

/* Parameters in order, then results. */
MMK_API size_t mmk_kernel_arguments(const mmk_kernel *kernel);
/* False when there is no such argument. */
MMK_API int mmk_kernel_argument(const mmk_kernel *kernel, size_t index, mmk_argument *argument);
/* Whether the kernel declares it as `const` (see mmk_pack). */
MMK_API int mmk_kernel_argument_is_constant(const mmk_kernel *kernel, size_t index);

/*--- running --------------------------------------------------------------------------------*/

/* Added to the type of a tensor; its strides are all 0. */
#define MMK_PACKED 256

/* Memory of the caller, bound to a parameter or a result by name. */
typedef struct {
  const char *name;
  void *data; /* only read when the tensor is a parameter */
  int type;   /* an mmk_type; with MMK_PACKED, `data` is what mmk_pack has filled for it */
  int rank;
  int64_t extents[MMK_MAX_RANK];
  /* Elements from one index of a dimension to the next. All 0: dense, in C order. Those of
   * parameters may be anything (0 repeats, negative goes backwards); the last dimension of a
   * result has stride 1, and its elements may not overlap. Nothing is copied for a stride. A result
   * overlaps no other tensor, but may have exactly the memory of a parameter where the kernel reads
   * each element before it writes it. `data` is NULL only where an extent is 0. */
  int64_t strides[MMK_MAX_RANK];
} mmk_tensor;

typedef struct {
  const char *name;
  double value;
} mmk_scalar;

/* Zero-initialise, then set what is wanted. */
typedef struct {
  unsigned threads; /* 0: all that the process may use */
  /* Most bytes for the intermediate tensors that a run allocates; 0: what the system gives. A run
   * that needs more fails with MMK_NO_MEMORY before it begins. */
  size_t max_memory;
} mmk_run_options;

/* Binds all tensors, and the scalars without a default, and runs. The dimensions follow from the
 * tensors. `options` may be NULL. What is called at some shapes only is compiled by the first run
 * that calls it, while others that call it wait. */
MMK_API mmk_error *mmk_run(const mmk_kernel *kernel, const mmk_tensor *tensors, size_t tensor_count,
                           const mmk_scalar *scalars, size_t scalar_count,
                           const mmk_run_options *options);

/* The extents that the results have for these parameters: MMK_MAX_RANK numbers for each result, of
 * which the first `rank` are filled. `tensors` may hold results, too; nothing is run, and no memory
 * is read. */
MMK_API mmk_error *mmk_result_extents(const mmk_kernel *kernel, const mmk_tensor *tensors,
                                      size_t tensor_count, int64_t (*extents)[MMK_MAX_RANK]);

/*--- constant operands ----------------------------------------------------------------------*/

/* Lays out a parameter that is declared as `const` for the machine, once, so that no run has to:
 *
 *   mmk_tensor w = {"w", weights, MMK_F16, 2, {k, n}};
 *   size_t bytes;
 *   error = mmk_pack(kernel, &w, NULL, &bytes);
 *   void *packed = aligned_alloc(64, (bytes + 63) / 64 * 64);
 *   error = mmk_pack(kernel, &w, packed, &bytes);
 *   w.data = packed, w.type = MMK_F16 | MMK_PACKED;
 *
 * `packed` NULL: `bytes` becomes the size. Else it says how many there are at `packed`, which are
 * filled, at least those. `packed` is aligned to 8 bytes; runs are fastest where it is to 64. The
 * bytes are bound in place of the tensor, with its extents, and MMK_PACKED in its type. They may be
 * kept in a file, and serve every kernel that reads the tensor in the same layout, whatever its
 * other extents are; any other kernel or CPU refuses them, and says what they are. A constant that
 * is bound as a plain tensor is laid out again in each run. */
MMK_API mmk_error *mmk_pack(const mmk_kernel *kernel, const mmk_tensor *tensor, void *packed,
                            size_t *bytes);

/*--- time on an AI core ---------------------------------------------------------------------*/

/* Kernel time in cycles of the machine's clock and in microseconds, without touching data. Not for
 * the host, whose clock is the real one. */
MMK_API mmk_error *mmk_count(const mmk_kernel *kernel, const mmk_dimension *dimensions,
                             size_t dimension_count, int64_t *cycles, double *microseconds);

#ifdef __cplusplus
}
#endif
#endif
