//! A macro that defines the Python classes of a group.
//!
//! Arguments are accepted as any object, so that a wrong one raises `BadParameter` and not `TypeError`.

/// `group_classes!(module = a PrimeGroup: Handle, Scalars, Points)`
macro_rules! group_classes {
    ($module:ident = $group:ty: $Handle:ident, $Scalars:ident, $Points:ident) => {
        pub mod $module {
            use nodealer_arrays::{
                Points, PrimeGroup, Scalars, combine, cost, msm, msm_each, vartime_msm, vartime_sum,
            };
            use pyo3::IntoPyObjectExt;
            use pyo3::prelude::*;
            use pyo3::sync::PyOnceLock;
            use pyo3::types::{PyBytes, PyInt};
            use zeroize::Zeroizing;

            use crate::convert::{bad, bytes, count, items, place, range, refuse, run, tuple, type_name, u64};
            use crate::order::{Order, sort_nanos};

            type G = $group;

            static HANDLE: PyOnceLock<Py<$Handle>> = PyOnceLock::new();
            static GENERATOR: PyOnceLock<Py<$Points>> = PyOnceLock::new();

            /// Adds the classes, and the group's handle under its name.
            pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
                module.add_class::<$Handle>()?;
                module.add_class::<$Scalars>()?;
                module.add_class::<$Points>()?;
                module.add(<G as PrimeGroup>::NAME, handle(module.py())?)
            }

            fn handle(py: Python<'_>) -> PyResult<Py<$Handle>> {
                Ok(HANDLE.get_or_try_init(py, || Py::new(py, $Handle))?.clone_ref(py))
            }

            fn own_scalars<'a>(value: &'a Bound<'_, PyAny>) -> PyResult<&'a Scalars<G>> {
                match value.cast::<$Scalars>() {
                    Ok(scalars) => Ok(&scalars.get().0),
                    Err(_) => Err(foreign("Scalars", value)),
                }
            }

            fn own_points<'a>(value: &'a Bound<'_, PyAny>) -> PyResult<&'a Points<G>> {
                match value.cast::<$Points>() {
                    Ok(points) => Ok(&points.get().0),
                    Err(_) => Err(foreign("Points", value)),
                }
            }

            fn foreign(what: &str, value: &Bound<'_, PyAny>) -> PyErr {
                let (name, got) = (<G as PrimeGroup>::NAME, type_name(value));
                bad(format!("expected {what} of {name} (native), got {got}"))
            }

            fn places(indices: &Bound<'_, PyAny>, length: usize) -> PyResult<Zeroizing<Vec<usize>>> {
                let indices = items(indices, "indices")?;
                let mut out = Zeroizing::new(Vec::with_capacity(indices.len()));
                for index in &indices {
                    out.push(place(index, length)?);
                }
                Ok(out)
            }

            /// A group of prime order.
            #[pyclass(frozen, module = "nodealer.group._core")]
            pub struct $Handle;

            /// Integers modulo the group's order.
            #[pyclass(frozen, mapping, module = "nodealer.group._core")]
            pub struct $Scalars(Scalars<G>);

            /// Elements of the group.
            #[pyclass(frozen, mapping, module = "nodealer.group._core")]
            pub struct $Points(Points<G>);

            #[pymethods]
            impl $Handle {
                #[getter]
                fn name(&self) -> &'static str {
                    <G as PrimeGroup>::NAME
                }

                #[getter]
                fn backend(&self) -> &'static str {
                    "native"
                }

                #[getter]
                fn order<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                    let order = PyBytes::new(py, <G as PrimeGroup>::ORDER);
                    py.get_type::<PyInt>().call_method1("from_bytes", (order, "little"))
                }

                #[getter]
                fn scalar_size(&self) -> usize {
                    <G as PrimeGroup>::SCALAR_SIZE
                }

                #[getter]
                fn point_size(&self) -> usize {
                    <G as PrimeGroup>::POINT_SIZE
                }

                #[getter]
                fn wide_size(&self) -> usize {
                    <G as PrimeGroup>::WIDE_SIZE
                }

                #[getter]
                fn uniform_size(&self) -> usize {
                    <G as PrimeGroup>::UNIFORM_SIZE
                }

                #[getter(G)]
                fn generator(&self, py: Python<'_>) -> PyResult<Py<$Points>> {
                    let make = || Py::new(py, $Points(Points::generator().map_err(refuse)?));
                    Ok(GENERATOR.get_or_try_init(py, make)?.clone_ref(py))
                }

                #[pyo3(signature = (data, /))]
                fn points(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<$Points> {
                    let data = bytes(data, "points")?;
                    let units = data.len() / <G as PrimeGroup>::POINT_SIZE;
                    run(py, units, cost::POINT_CODEC, || Points::decode(data)).map($Points).map_err(refuse)
                }

                #[pyo3(signature = (data, /))]
                fn scalars(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<$Scalars> {
                    let data = bytes(data, "scalars")?;
                    let units = data.len() / <G as PrimeGroup>::SCALAR_SIZE;
                    run(py, units, cost::SCALAR_MUL, || Scalars::decode(data)).map($Scalars).map_err(refuse)
                }

                #[pyo3(signature = (data, /))]
                fn wide_scalars(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<$Scalars> {
                    let data = bytes(data, "wide scalars")?;
                    let units = data.len() / <G as PrimeGroup>::WIDE_SIZE;
                    run(py, units, cost::SCALAR_MUL, || Scalars::from_wide(data)).map($Scalars).map_err(refuse)
                }

                #[pyo3(signature = (values, /))]
                fn integers(&self, values: &Bound<'_, PyAny>) -> PyResult<$Scalars> {
                    let values = items(values, "integers")?;
                    let mut numbers = Zeroizing::new(Vec::with_capacity(values.len()));
                    for (index, value) in values.iter().enumerate() {
                        numbers.push(u64(value, index)?);
                    }
                    Scalars::from_u64(&numbers).map($Scalars).map_err(refuse)
                }

                #[pyo3(signature = (data, /))]
                fn map_to_points(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<$Points> {
                    let data = bytes(data, "uniform bytes")?;
                    let units = data.len() / <G as PrimeGroup>::UNIFORM_SIZE;
                    run(py, units, cost::POINT_MAP, || Points::map(data)).map($Points).map_err(refuse)
                }

                #[pyo3(signature = (count, /))]
                fn identity(&self, count: &Bound<'_, PyAny>) -> PyResult<$Points> {
                    Points::identity(self::count(count)?).map($Points).map_err(refuse)
                }

                #[pyo3(signature = (scalars, points, /))]
                fn msm(
                    &self,
                    py: Python<'_>,
                    scalars: &Bound<'_, PyAny>,
                    points: &Bound<'_, PyAny>,
                ) -> PyResult<$Points> {
                    let (scalars, points) = (own_scalars(scalars)?, own_points(points)?);
                    run(py, scalars.len(), cost::MSM, || msm(scalars, points)).map($Points).map_err(refuse)
                }

                #[pyo3(signature = (scalars, points, /))]
                fn products(
                    &self,
                    py: Python<'_>,
                    scalars: &Bound<'_, PyAny>,
                    points: &Bound<'_, PyAny>,
                ) -> PyResult<$Points> {
                    let (scalars, points) = (own_scalars(scalars)?, own_points(points)?);
                    let units = scalars.len().max(points.len());
                    run(py, units, points.mul_nanos(), || points.products(scalars)).map($Points).map_err(refuse)
                }

                #[pyo3(signature = (terms, /))]
                fn msm_each(&self, py: Python<'_>, terms: &Bound<'_, PyAny>) -> PyResult<$Points> {
                    let terms = items(terms, "terms")?;
                    let parts =
                        terms.iter().map(|term| tuple(term, ["scalars", "points"])).collect::<PyResult<Vec<_>>>()?;
                    let mut sums = Vec::with_capacity(parts.len());
                    for [scalars, points] in &parts {
                        sums.push((own_scalars(scalars)?, own_points(points)?));
                    }
                    let units = sums.iter().map(|(_, points)| points.len()).sum();
                    run(py, units, cost::MSM, || msm_each(&sums)).map($Points).map_err(refuse)
                }

                #[pyo3(signature = (a, p, b, q, /))]
                fn combine(
                    &self,
                    py: Python<'_>,
                    a: &Bound<'_, PyAny>,
                    p: &Bound<'_, PyAny>,
                    b: &Bound<'_, PyAny>,
                    q: &Bound<'_, PyAny>,
                ) -> PyResult<$Points> {
                    let (a, p, b, q) = (own_scalars(a)?, own_points(p)?, own_scalars(b)?, own_points(q)?);
                    let units = a.len().max(p.len()).max(b.len()).max(q.len());
                    run(py, units, 2 * cost::POINT_MUL, || combine(a, p, b, q)).map($Points).map_err(refuse)
                }

                #[pyo3(signature = (scalars, points, /))]
                fn vartime_msm(
                    &self,
                    py: Python<'_>,
                    scalars: &Bound<'_, PyAny>,
                    points: &Bound<'_, PyAny>,
                ) -> PyResult<$Points> {
                    let (scalars, points) = (own_scalars(scalars)?, own_points(points)?);
                    run(py, scalars.len(), cost::VARTIME_MSM, || vartime_msm(scalars, points))
                        .map($Points)
                        .map_err(refuse)
                }

                #[pyo3(signature = (terms, /))]
                fn vartime_sum(&self, py: Python<'_>, terms: &Bound<'_, PyAny>) -> PyResult<$Points> {
                    let terms = items(terms, "terms")?;
                    let names = ["weights", "scalars", "points"];
                    let parts = terms.iter().map(|term| tuple(term, names)).collect::<PyResult<Vec<_>>>()?;
                    let mut sum = Vec::with_capacity(parts.len());
                    for [w, s, points] in &parts {
                        sum.push((own_scalars(w)?, own_scalars(s)?, own_points(points)?));
                    }
                    let units = sum.iter().map(|(_, _, points)| points.len()).sum();
                    run(py, units, cost::VARTIME_MSM, || vartime_sum(&sum)).map($Points).map_err(refuse)
                }

                fn __repr__(&self) -> String {
                    format!("<Group {} native>", <G as PrimeGroup>::NAME)
                }
            }

            #[pymethods]
            impl $Scalars {
                #[getter]
                fn group(&self, py: Python<'_>) -> PyResult<Py<$Handle>> {
                    handle(py)
                }

                fn __len__(&self) -> usize {
                    self.0.len()
                }

                fn __repr__(&self) -> String {
                    format!("<Scalars {} native n={}>", <G as PrimeGroup>::NAME, self.0.len())
                }

                fn __sizeof__(&self) -> usize {
                    self.0.memory()
                }

                fn __getitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<Self> {
                    let (start, end) = range(key, self.0.len())?;
                    self.0.slice(start, end).map(Self).map_err(refuse)
                }

                fn __add__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Self> {
                    let other = own_scalars(other)?;
                    run(py, self.0.len().max(other.len()), cost::SCALAR_ADD, || self.0.add(other))
                        .map(Self)
                        .map_err(refuse)
                }

                fn __sub__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Self> {
                    let other = own_scalars(other)?;
                    run(py, self.0.len().max(other.len()), cost::SCALAR_ADD, || self.0.sub(other))
                        .map(Self)
                        .map_err(refuse)
                }

                fn __neg__(&self, py: Python<'_>) -> PyResult<Self> {
                    run(py, self.0.len(), cost::SCALAR_ADD, || self.0.neg()).map(Self).map_err(refuse)
                }

                fn __mul__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                    if let Ok(points) = own_points(other) {
                        let units = self.0.len().max(points.len());
                        let product = run(py, units, points.mul_nanos(), || points.mul(&self.0));
                        return product.map($Points).map_err(refuse)?.into_bound_py_any(py);
                    }
                    let other = own_scalars(other)?;
                    let units = self.0.len().max(other.len());
                    let product = run(py, units, cost::SCALAR_MUL, || self.0.mul(other));
                    product.map(Self).map_err(refuse)?.into_bound_py_any(py)
                }

                fn __eq__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                    match own_scalars(other) {
                        Ok(other) => self.0.equals(other).into_bound_py_any(py),
                        Err(_) => Ok(py.NotImplemented().into_bound(py)),
                    }
                }

                fn half(&self, py: Python<'_>) -> PyResult<Self> {
                    run(py, self.0.len(), cost::SCALAR_ADD, || self.0.half()).map(Self).map_err(refuse)
                }

                fn invert(&self, py: Python<'_>) -> PyResult<Self> {
                    run(py, self.0.len(), 3 * cost::SCALAR_MUL, || self.0.invert()).map(Self).map_err(refuse)
                }

                fn sum(&self, py: Python<'_>) -> PyResult<Self> {
                    run(py, self.0.len(), cost::SCALAR_ADD, || self.0.sum()).map(Self).map_err(refuse)
                }

                #[pyo3(signature = (other, /))]
                fn dot(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Self> {
                    let other = own_scalars(other)?;
                    run(py, self.0.len(), cost::SCALAR_MUL, || self.0.dot(other)).map(Self).map_err(refuse)
                }

                #[pyo3(signature = (count, /))]
                fn powers(&self, py: Python<'_>, count: &Bound<'_, PyAny>) -> PyResult<Self> {
                    let count = self::count(count)?;
                    run(py, count, cost::SCALAR_MUL, || self.0.powers(count)).map(Self).map_err(refuse)
                }

                fn cumprod(&self, py: Python<'_>) -> PyResult<Self> {
                    run(py, self.0.len(), cost::SCALAR_MUL, || self.0.cumprod()).map(Self).map_err(refuse)
                }

                #[pyo3(signature = (indices, /))]
                fn take(&self, py: Python<'_>, indices: &Bound<'_, PyAny>) -> PyResult<Self> {
                    let taken = match indices.cast::<Order>() {
                        Ok(order) => {
                            let (order, units) = (&order.get().0, self.0.len());
                            run(py, units, sort_nanos(units), || self.0.take(order))
                        }
                        Err(_) => self.0.vartime_take(&places(indices, self.0.len())?),
                    };
                    taken.map(Self).map_err(refuse)
                }

                #[pyo3(signature = (others, /))]
                fn concat(&self, others: &Bound<'_, PyAny>) -> PyResult<Self> {
                    let others = items(others, "arrays")?;
                    let mut parts = vec![&self.0];
                    for other in &others {
                        parts.push(own_scalars(other)?);
                    }
                    Scalars::concat(&parts).map(Self).map_err(refuse)
                }

                fn first_zero(&self) -> Option<usize> {
                    self.0.first_zero()
                }

                fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
                    PyBytes::new_with(py, self.0.encoded_len(), |out| {
                        self.0.encode(out);
                        Ok(())
                    })
                }
            }

            #[pymethods]
            impl $Points {
                #[getter]
                fn group(&self, py: Python<'_>) -> PyResult<Py<$Handle>> {
                    handle(py)
                }

                fn __len__(&self) -> usize {
                    self.0.len()
                }

                fn __repr__(&self) -> String {
                    format!("<Points {} native n={}>", <G as PrimeGroup>::NAME, self.0.len())
                }

                fn __sizeof__(&self) -> usize {
                    self.0.memory()
                }

                fn __getitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<Self> {
                    let (start, end) = range(key, self.0.len())?;
                    self.0.slice(start, end).map(Self).map_err(refuse)
                }

                fn __add__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Self> {
                    let other = own_points(other)?;
                    run(py, self.0.len().max(other.len()), cost::POINT_ADD, || self.0.add(other))
                        .map(Self)
                        .map_err(refuse)
                }

                fn __sub__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Self> {
                    let other = own_points(other)?;
                    run(py, self.0.len().max(other.len()), cost::POINT_ADD, || self.0.sub(other))
                        .map(Self)
                        .map_err(refuse)
                }

                fn __neg__(&self, py: Python<'_>) -> PyResult<Self> {
                    run(py, self.0.len(), cost::SCALAR_ADD, || self.0.neg()).map(Self).map_err(refuse)
                }

                fn __eq__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                    match own_points(other) {
                        Ok(other) => {
                            run(py, self.0.len(), cost::POINT_ADD, || self.0.equals(other)).into_bound_py_any(py)
                        }
                        Err(_) => Ok(py.NotImplemented().into_bound(py)),
                    }
                }

                fn sum(&self, py: Python<'_>) -> PyResult<Self> {
                    run(py, self.0.len(), cost::POINT_ADD, || self.0.sum()).map(Self).map_err(refuse)
                }

                fn ranked_sum(&self, py: Python<'_>) -> PyResult<Self> {
                    run(py, self.0.len(), 2 * cost::POINT_ADD, || self.0.ranked_sum()).map(Self).map_err(refuse)
                }

                #[pyo3(signature = (indices, /))]
                fn take(&self, py: Python<'_>, indices: &Bound<'_, PyAny>) -> PyResult<Self> {
                    let taken = match indices.cast::<Order>() {
                        Ok(order) => {
                            let (order, units) = (&order.get().0, self.0.len());
                            run(py, units, sort_nanos(units), || self.0.take(order))
                        }
                        Err(_) => self.0.vartime_take(&places(indices, self.0.len())?),
                    };
                    taken.map(Self).map_err(refuse)
                }

                #[pyo3(signature = (others, /))]
                fn concat(&self, others: &Bound<'_, PyAny>) -> PyResult<Self> {
                    let others = items(others, "arrays")?;
                    let mut parts = vec![&self.0];
                    for other in &others {
                        parts.push(own_points(other)?);
                    }
                    Points::concat(&parts).map(Self).map_err(refuse)
                }

                fn doubled(&self, py: Python<'_>) -> PyResult<Self> {
                    run(py, self.0.len(), cost::POINT_CODEC, || self.0.doubled()).map(Self).map_err(refuse)
                }

                fn tabled(&self, py: Python<'_>) -> PyResult<Self> {
                    py.detach(|| self.0.tabled()).map(Self).map_err(refuse)
                }

                #[pyo3(signature = (other, /))]
                fn vartime_first_in(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
                    let other = own_points(other)?;
                    let units = self.0.len() + other.len();
                    Ok(run(py, units, cost::POINT_CODEC, || self.0.vartime_first_in(other)))
                }

                fn vartime_first_repeat(&self, py: Python<'_>) -> Option<usize> {
                    run(py, self.0.len(), cost::POINT_CODEC, || self.0.vartime_first_repeat())
                }

                fn first_identity(&self, py: Python<'_>) -> Option<usize> {
                    run(py, self.0.len(), cost::POINT_ADD, || self.0.first_identity())
                }

                fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
                    PyBytes::new_with(py, self.0.encoded_len(), |out| {
                        run(py, self.0.len(), cost::POINT_CODEC, || self.0.encode(out));
                        Ok(())
                    })
                }
            }
        }
    };
}

pub(crate) use group_classes;
