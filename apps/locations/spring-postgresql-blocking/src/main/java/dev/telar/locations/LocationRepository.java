package dev.telar.locations;

import org.springframework.data.jdbc.repository.query.Modifying;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.repository.ListCrudRepository;
import org.springframework.data.repository.query.Param;

interface LocationRepository extends ListCrudRepository<Location, Long> {

    /** One statement, which says whether there was such a location. */
    @Modifying
    @Query(
            """
            UPDATE location SET name = :#{#location.name}, description = :#{#location.description},\
             latitude = :#{#location.latitude}, longitude = :#{#location.longitude}
            WHERE id = :id""")
    int replace(@Param("id") long id, @Param("location") Location location);

    @Modifying
    @Query("DELETE FROM location WHERE id = :id")
    int deleteLocation(@Param("id") long id);
}
